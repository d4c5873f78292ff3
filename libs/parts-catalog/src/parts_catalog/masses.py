"""What both sides of a kernel know of masses and prices; parts are priced on their workbenches, in cad-worker."""

from parts_catalog.hardware.lookup import ADHESIVE
from parts_catalog.materials import MATERIALS

BOND_CM2 = 4.0
"""The glued area that a bill reckons with, whatever it is: the glue is the least of what a bond costs."""
BOND_PRICE_USD = ADHESIVE.price_usd + BOND_CM2 * ADHESIVE.price_usd_per_cm2
BOND_MASS_KG = BOND_CM2 * ADHESIVE.mass_kg_per_cm2


def mass_kg(volume_mm3: float, material_id: str) -> float:
    """Return the mass of a volume of a known material."""
    return volume_mm3 * 1e-9 * MATERIALS[material_id].density_kg_m3
