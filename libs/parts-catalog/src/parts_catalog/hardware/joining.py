"""What holds parts together and carries joints: screws, bearings and glue of the table."""

from parts_catalog.hardware.screws import screws
from parts_catalog.hardware.seed import seed_bearings
from parts_catalog.hardware.sheets import Adhesive, Bearing, Fastener, JointKind

FASTENERS: dict[str, Fastener] = {row.id: row for row in screws()}
"""Every fastener by its id."""


def _plain(kind: JointKind, what: str, moment_n_m: float | None, friction: tuple[float, float]) -> Bearing:
    """Return the bearing that a joint has unless it names another; friction: N m of turning, N of sliding."""
    return Bearing(
        id=f"plain-{kind}",
        what=what,
        kinds=(kind,),
        max_force_n=400.0,
        max_moment_n_m=moment_n_m,
        friction_torque_n_m=friction[0],
        friction_force_n=friction[1],
        mass_kg=0.004,
        price_usd=0.8,
        source="5 MPa, a sixteenth of what makers allow for a resting polymer sleeve, over 8 x 10 mm",
        confidence="estimate",
    )


BEARINGS: dict[str, Bearing] = {
    row.id: row
    for row in (
        _plain("revolute", "polymer sleeve 8 x 10 mm on a pin", 4.0, (0.002, 0.0)),
        _plain("linear", "polymer slide on a rail", 4.0, (0.0, 0.2)),
        _plain("cylindrical", "polymer sleeve on a shaft", 4.0, (0.002, 0.2)),
        _plain("ball", "polymer ball joint", None, (0.002, 0.0)),
        Bearing(
            id="608zz",
            what="deep groove ball bearing 608ZZ, 8 x 22 x 7 mm",
            kinds=("revolute",),
            max_force_n=1370.0,
            max_moment_n_m=2.0,
            friction_torque_n_m=0.0005,
            friction_force_n=0.0,
            mass_kg=0.013,
            price_usd=1.2,
            source="mass of bd_warehouse 0.4.0's geometry; force: the static load rating that makers print for 608",
            confidence="force: typical; mass: computed; moment, friction, price: estimate",
        ),
        *seed_bearings(),
    )
}
"""Every bearing by its id."""

ADHESIVE = Adhesive(
    id="epoxy",
    what="two-part epoxy",
    shear_mpa=3.0,
    price_usd=0.10,
    price_usd_per_cm2=0.03,
    mass_kg_per_cm2=2.4e-5,
    source="a careful value for bonds of plastics; 0.2 mm of 1.2 g/cm³",
    confidence="estimate",
)
