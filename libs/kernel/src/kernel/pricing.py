"""What one part costs: material by volume, machine time by volume, set-up shared by the quantity.

A deliberately plain estimate. It knows no shape: two parts of one volume cost the same.
"""

from contracts.design import Method
from contracts.model import Model
from pydantic import NonNegativeFloat, PositiveFloat

from kernel.hardware import ADHESIVE
from kernel.materials import MATERIALS


class Workshop(Model):
    """The rates of one method."""

    setup_usd: NonNegativeFloat
    """Once per order of a part: programming, fixtures or the mould."""
    handling_usd: NonNegativeFloat
    """Once per piece: clamping, tool changes, removal."""
    machine_usd_per_h: PositiveFloat
    speed_cm3_per_h: PositiveFloat
    """Finished part volume per machine hour."""
    waste: PositiveFloat
    """Material bought over material in the part."""
    margin: PositiveFloat
    """Price over cost."""


WORKSHOPS: dict[Method, Workshop] = {
    # 1 h of CAM at 60 USD and two set-ups of half an hour; 6 min per piece to clamp and change tools; 75 USD/h lies
    # above the published 30-50 (plethora.com, boona-prototypes.com) because it is manned; 300 cm3/h follows from a
    # 100 x 50 x 20 mm aluminium bracket in about 15-20 min (pkcncmachining.com). Stock is 15 % larger than the part.
    "cnc": Workshop(
        setup_usd=135.0, handling_usd=7.5, machine_usd_per_h=75.0, speed_cm3_per_h=300.0, waste=1.15, margin=1.25
    ),
    # 12 cm3/h and 4 USD/h: filament printers, of the published 1-10 USD/h (this-calculator.com); 8 % purge and scrap.
    "3d_printing": Workshop(
        setup_usd=5.0, handling_usd=1.0, machine_usd_per_h=4.0, speed_cm3_per_h=12.0, waste=1.08, margin=1.5
    ),
    # A simple single-cavity mould costs from about 3,500 USD (3-50 k USD, ati-propel); 40 USD/h press and cycles of
    # half a minute to a minute (mouldnova.com) for parts of some 20 cm3.
    "injection_molding": Workshop(
        setup_usd=3500.0, handling_usd=0.2, machine_usd_per_h=40.0, speed_cm3_per_h=1800.0, waste=1.05, margin=1.0
    ),
}

MACHINABILITY: dict[str, float] = {
    "steel-1018": 0.35,
    "stainless-304": 0.35,
    "brass-360": 1.3,
    "pom": 1.6,
    "hdpe": 1.6,
    "pc": 1.6,
}
"""Speed of machining in comparison with aluminium, where it differs. Estimates."""

BOND_CM2 = 4.0
"""The glued area that a bill reckons with, whatever it is: the glue is the least of what a bond costs."""
BOND_PRICE_USD = ADHESIVE.price_usd + BOND_CM2 * ADHESIVE.price_usd_per_cm2
BOND_MASS_KG = BOND_CM2 * ADHESIVE.mass_kg_per_cm2


def mass_kg(volume_mm3: float, material_id: str) -> float:
    """Return the mass of a volume of a known material."""
    return volume_mm3 * 1e-9 * MATERIALS[material_id].density_kg_m3


def unit_price_usd(volume_mm3: float, method: Method, material_id: str, quantity: int) -> float:
    """Return the price of one piece in an order of `quantity`. Method and material must fit each other."""
    shop = WORKSHOPS[method]
    material_usd = mass_kg(volume_mm3, material_id) * shop.waste * MATERIALS[material_id].prices_usd_per_kg[method]
    speed = shop.speed_cm3_per_h * (MACHINABILITY.get(material_id, 1.0) if method == "cnc" else 1.0)
    machine_usd = volume_mm3 / 1000 / speed * shop.machine_usd_per_h
    return shop.margin * (material_usd + machine_usd + shop.handling_usd + shop.setup_usd / quantity)
