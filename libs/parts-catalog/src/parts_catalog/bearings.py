"""Bearings of joints: plain polymer bearings, the 608ZZ, and the ball bearings of the CSV rows."""

from parts_catalog.aliases import rows_without_datasheet
from parts_catalog.datasheets import Bearing, JointKind, MotorSheet
from parts_catalog.rows import CatalogRow
from parts_catalog.strength import shaft_moment_n_m

_STATIC_SHARE = 0.4
"""Static over dynamic load rating of a ball bearing, if its row has no static one: 1370 N of 3450 N for a 608."""
_MOMENT_ARM_M = 0.0015
"""Admissible moment over admissible force of a ball bearing: a single row of balls resists tilting little."""


BALL_BEARING = "deep_groove_ball"
"""Subcategory of bearings that turn; the others slide."""
PLAIN_FRICTION = 0.2
"""Of a dry polymer sleeve that starts from rest on a pin or rail that need not be ground: on steel, igus lists 0.11 for
iglidur J200, 0.07 to 0.2 for H and 0.18 to 0.28 for B."""
_PIN_RADIUS_MM = 4.0
STOP_N = 50.0
"""Force on the built-in stop of a bearing, where no parts meet at the end of a joint's range: a nose as high as the
wall of a sleeve, 1 mm, over its length of 10 mm, under the 5 MPa of the sleeve. An estimate."""
STOP_N_M = STOP_N * 0.0045
"""The same for a joint that turns, in the middle of the sleeve's wall."""
_ROLLING_FRICTION = 0.0015
"""Of a deep groove ball bearing, at the radius of its bore: SKF's frictional moment is 0.5 x 0.0015 x load x bore."""
SLEEVE_MM = 10.0
"""Length of a plain sleeve: a guide has one at each end."""


def _plain(kind: JointKind, name: str, moment_n_m: float | None, friction: tuple[float, float]) -> Bearing:
    """Return the default bearing of a joint; friction: torque in N m, force in N."""
    return Bearing(
        id=f"plain-{kind}",
        name=name,
        kinds=(kind,),
        max_force_n=400.0,
        max_moment_n_m=moment_n_m,
        friction_torque_n_m=friction[0],
        friction_force_n=friction[1],
        friction_coefficient=PLAIN_FRICTION,
        friction_radius_mm=_PIN_RADIUS_MM,
        mass_kg=0.004,
        price_usd=0.8,
        source="5 MPa, a sixteenth of what makers allow for a resting polymer sleeve, over 8 x 10 mm",
        confidence="estimate",
    )


def on_shaft(bearing: Bearing, motor: MotorSheet) -> Bearing:
    """Return the bearing of a part that sits on a motor's shaft: it carries what the shaft bears beside its torque.

    A force acts half a hub, a sleeve's length, before the motor's own bearing.
    """
    moment_n_m = shaft_moment_n_m(motor.shaft_mm, motor.shaft_mpa, motor.stall_torque_n_m)
    force_n = min(bearing.max_force_n, 1000 * moment_n_m / SLEEVE_MM)
    changes = {"max_force_n": force_n, "max_moment_n_m": moment_n_m, "friction_radius_mm": motor.shaft_mm / 2}
    return bearing.model_copy(update=changes)


def is_plain(bearing: Bearing) -> bool:
    """Tell whether a bearing is one that joints have by default."""
    return bearing.id.startswith("plain-")


def _slide(row: CatalogRow) -> Bearing:
    """Return a carriage on its rail, or a linear bearing, which may turn on its shaft."""
    return Bearing(
        id=row.id,
        name=row.name,
        kinds=("linear",) if row.subcategory == "carriage" else ("linear", "cylindrical"),
        max_force_n=float(row.spec["static_load_n"]),
        max_moment_n_m=float(row.spec["static_moment_n_m"]),
        friction_torque_n_m=0.0,
        friction_force_n=float(row.spec["friction_force_n"]),
        friction_coefficient=float(row.spec["friction_coefficient"]),
        friction_radius_mm=_PIN_RADIUS_MM,
        mass_kg=row.mass_g / 1000,
        price_usd=row.price_usd,
        source=row.source,
        confidence=row.confidence,
    )


def _ball_bearing(row: CatalogRow) -> Bearing:
    max_force_n = row.number("static_load_n") or _STATIC_SHARE * float(row.spec["dyn_load_n"])
    return Bearing(
        id=row.id,
        name=row.name,
        kinds=("revolute",),
        max_force_n=max_force_n,
        max_moment_n_m=_MOMENT_ARM_M * max_force_n,
        friction_torque_n_m=0.0005,
        friction_force_n=0.0,
        friction_coefficient=_ROLLING_FRICTION,
        friction_radius_mm=float(row.spec["bore_mm"]) / 2,
        mass_kg=row.mass_g / 1000,
        price_usd=row.price_usd,
        source=row.source,
        confidence=f"{row.confidence} force,moment,friction:estimate",
    )


BEARINGS: dict[str, Bearing] = {
    bearing.id: bearing
    for bearing in (
        _plain("revolute", "polymer sleeve 8 x 10 mm on a pin", 4.0, (0.002, 0.0)),
        _plain("linear", "polymer slide on a rail", 4.0, (0.0, 0.2)),
        _plain("cylindrical", "polymer sleeve on a shaft", 4.0, (0.002, 0.2)),
        _plain("ball", "polymer ball joint", None, (0.002, 0.0)),
        Bearing(
            id="608zz",
            name="deep groove ball bearing 608ZZ, 8 x 22 x 7 mm",
            kinds=("revolute",),
            max_force_n=1370.0,
            max_moment_n_m=2.0,
            friction_torque_n_m=0.0005,
            friction_force_n=0.0,
            friction_coefficient=_ROLLING_FRICTION,
            friction_radius_mm=4.0,
            mass_kg=0.013,
            price_usd=1.2,
            source="mass of bd_warehouse 0.4.0's geometry; force: the static load rating that makers print for 608",
            confidence="force: typical; mass: computed; moment, friction, price: estimate",
        ),
        *(
            _ball_bearing(row) if row.subcategory == BALL_BEARING else _slide(row)
            for row in rows_without_datasheet()
            if row.category == "bearing"
        ),
    )
}
"""Every bearing by its id."""
