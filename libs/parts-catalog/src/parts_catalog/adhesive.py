"""Glue: the one adhesive of all bonds, the materials that it bonds, and what a bond adds to price and mass.

Shear strengths of untreated plastics with standard epoxy are those of The Loctite Design Guide for Bonding Plastics, as
B. Goss quotes them (Practical Guide to Adhesive Bonding of Small Engineering Plastic and Rubber Parts, 2010): acetal
2.1 N/mm² and 1.7 with a five-minute epoxy, a thermoset 12.0 and 3.1. They are breaking loads of fresh laboratory
specimens. The working strength of 3 N/mm² is a careful value for plastics that epoxy wets; by the same measure acetal,
polyethylene and polypropylene, whose surfaces it hardly wets, keep nothing that a design may rely on. Rubber peels: the
bond of TPU is an estimate.
"""

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
UNBONDABLE = frozenset({"hdpe", "pp", "ptfe", "pom"})
"""Materials that epoxy does not bond without flame, plasma or primer."""
_WEAKLY_BONDED_MPA = {"tpu-95a": 1.0}
ASSUMED_CM2 = 4.0
"""Glued area of a bond whose faces are not known, as in the price of a part without its surroundings."""


def bond_mpa(material_id: str | None) -> float:
    """Return the strength of a glued face on a material in any direction, N/mm²; 0 where glue does not hold.

    None: an environment solid or a bought body, which glue holds.
    """
    if material_id in UNBONDABLE:
        return 0.0
    return _WEAKLY_BONDED_MPA.get(material_id or "", ADHESIVE.shear_mpa)
