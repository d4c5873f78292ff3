"""A machine that moves: an arm on a driven hinge, which sweeps a cube over a table."""

from contracts.models.benchmark import Payload
from contracts.models.geometry import Vector
from contracts.models.mechanism import Positions
from contracts.models.scene import Body, BoxGeom, Drive, MassProperties, Scene, Weld

from tests.sim_worker import scenes

PLASTIC_KG_MM3 = 1.2e-6


def solid(label: str, center_mm: Vector, size_mm: Vector, origin: str = "design") -> Body:
    """Return a box with the mass of plastic."""
    kg = PLASTIC_KG_MM3 * size_mm[0] * size_mm[1] * size_mm[2]
    x, y, z = (edge / 1000 for edge in size_mm)
    xx, yy, zz = (kg / 12 * (a * a + b * b) for a, b in ((y, z), (x, z), (x, y)))
    mass = MassProperties(mass_kg=kg, center_mm=center_mm, inertia_kg_m2=(xx, yy, zz, 0.0, 0.0, 0.0))
    geom = BoxGeom(center_mm=center_mm, quaternion=(1.0, 0.0, 0.0, 0.0), size_mm=size_mm)
    return Body.model_validate(
        {"label": label, "origin": origin, "geoms": [geom], "friction": 0.3, "mass": mass, "color_rgba": scenes.BLUE}
    )


def servo(**changes: object) -> Drive:
    """Return a gearmotor with a position sensor, of 12 V and about 200 rpm."""
    fields: dict[str, object] = {
        "label": "motor",
        "joint": "hinge",
        "mode": "position",
        "nominal_voltage_v": 12.0,
        "stall_torque_n_m": 2.06,
        "no_load_speed_rad_s": 20.9,
        "stall_current_a": 5.5,
        "no_load_current_a": 0.2,
        "continuous_torque_n_m": 0.5,
        "thermal_limit_s": 1.0,
        "armature_kg_m2": 0.01,
        "control": Positions(times_s=(0.5, 2.0), targets=(0.0, 60.0)),
    }
    return Drive.model_validate(fields | changes)


def sweeper(drive: Drive | None = None, **changes: object) -> Scene:
    """Return an arm that sweeps a cube over a table: about z, through 60 degrees to the left, into the goal.

    The post is screwed to the table, the motor glued to the post.
    """
    table = scenes.block("table", (0, 0, -10), (900, 900, 20), "environment").model_copy(update={"mass": None})
    bodies = (
        table,
        solid("post", (0, 0, 15), (40, 40, 30)),
        solid("motor", (0, 0, 75), (30, 30, 30)),
        solid("arm", (110, 0, 45), (220, 12, 24)),
    )
    limits = {"angle_range_deg": (-90.0, 90.0), "max_force_n": 100.0}
    hinge = scenes.joint("hinge", "revolute", "post", "arm", (0, 0, 45), axis=(0.0, 0.0, 1.0), **limits)
    welds = (
        Weld(
            label="screws",
            first="post",
            second="table",
            means="fastened",
            anchor_mm=(0, 0, 0),
            max_force_n=200.0,
            max_moment_n_m=5.0,
        ),
        Weld(label="plate", first="motor", second="post", means="bonded", anchor_mm=(0, 0, 60)),
    )
    fields: dict[str, object] = {
        "bodies": bodies,
        "joints": (hinge,),
        "welds": welds,
        "drives": (drive or servo(),),
        "touching": (("post", "arm"), ("motor", "arm")),
        "goal_zone": scenes.box((0, 120, 0), (100, 300, 60)),
        "build_zone": scenes.box((-300, -300, 0), (400, 400, 200)),
        "payload": cube(),
        "hold_s": 0.2,
        "duration_s": 4.0,
    }

    return Scene.model_validate(scenes.empty_scene(cube()).__dict__ | fields | changes)


def cube(start_mm: Vector = (150, 32, 20)) -> Payload:
    """Return a cube, which stays where it is pushed to; a ball would roll away from the arm."""
    return scenes.ball(start_mm).model_copy(update={"shape": "cube"})
