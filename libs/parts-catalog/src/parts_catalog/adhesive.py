"""Glue: the one adhesive of all bonds, and what a bond adds to price and mass."""

from parts_catalog.datasheets import Adhesive

ADHESIVE = Adhesive(
    id="epoxy",
    name="two-part epoxy",
    shear_mpa=3.0,
    price_usd=0.10,
    price_usd_per_cm2=0.03,
    mass_kg_per_cm2=2.4e-5,
    source="a careful value for bonds of plastics; 0.2 mm of 1.2 g/cm³",
    confidence="estimate",
)
BOND_CM2 = 4.0
"""Glued area that a bill assumes for every bond: glue is the smallest share of a bond's cost."""
BOND_PRICE_USD = ADHESIVE.price_usd + BOND_CM2 * ADHESIVE.price_usd_per_cm2
BOND_MASS_KG = BOND_CM2 * ADHESIVE.mass_kg_per_cm2
