"""Small scenes whose behaviour is known, and their elements."""

from math import cos, radians, sin

from contracts.events.rendering import Mesh
from contracts.models.benchmark import Payload, Zone
from contracts.models.geometry import Box, Vector
from contracts.models.mechanism import Constant
from contracts.models.scene import Body, BoxGeom, Drive, LoadedJoint, MassProperties, Scene, Weld

BALL_MM = 40.0
POM_KG_M3 = 1410.0
SLOPE_DEG = 12.0
BLUE, GREY = (0.20, 0.42, 0.72, 1.0), (0.56, 0.58, 0.61, 1.0)


def box(low_mm: Vector, high_mm: Vector) -> Box:
    return Box(min_mm=low_mm, max_mm=high_mm)


def block(
    label: str,
    center_mm: Vector,
    size_mm: Vector,
    origin: str = "design",
    tilt_deg: float = 0.0,
) -> Body:
    """Return a box, tilted about y so that it falls towards +x."""
    half = radians(tilt_deg) / 2
    geom = BoxGeom(center_mm=center_mm, quaternion=(cos(half), 0.0, sin(half), 0.0), size_mm=size_mm)
    return Body.model_validate(
        {
            "label": label,
            "origin": origin,
            "geoms": [geom],
            "friction": 0.3,
            "color_rgba": BLUE if origin == "design" else GREY,
        }
    )


def solid(
    label: str,
    center_mm: Vector,
    size_mm: Vector,
    density_kg_m3: float = 1000.0,
    tilt_deg: float = 0.0,
    **changes: object,
) -> Body:
    """Return a box of the design that has mass, tilted as `block` is; inertia is exact."""
    kg = density_kg_m3 * size_mm[0] * size_mm[1] * size_mm[2] * 1e-9
    x, y, z = (edge / 1000 for edge in size_mm)
    xx, yy, zz = kg / 12 * (y * y + z * z), kg / 12 * (x * x + z * z), kg / 12 * (x * x + y * y)
    c, s = cos(radians(tilt_deg)), sin(radians(tilt_deg))
    inertia = (c * c * xx + s * s * zz, yy, s * s * xx + c * c * zz, 0.0, c * s * (zz - xx), 0.0)
    mass = MassProperties(mass_kg=kg, center_mm=center_mm, inertia_kg_m2=inertia)
    return block(label, center_mm, size_mm, tilt_deg=tilt_deg).model_copy(update={"mass": mass, **changes})


def weld(label: str, first: str, second: str, anchor_mm: Vector, max_force_n: float | None = 1000.0) -> Weld:
    return Weld(label=label, first=first, second=second, means="bonded", anchor_mm=anchor_mm, max_force_n=max_force_n)


def joint(label: str, kind: str, parent: str, child: str, anchor_mm: Vector, **changes: object) -> LoadedJoint:
    """Return a joint without friction, about y by default."""
    fields = {"label": label, "kind": kind, "parent": parent, "child": child, "anchor_mm": anchor_mm}
    return LoadedJoint.model_validate(fields | {"axis": (0.0, 1.0, 0.0)} | changes)


def drive(label: str, joint: str, **changes: object) -> Drive:
    """Return a motor of 12 V, 2 N m at stall and 10 rad/s without load, at full voltage."""
    fields: dict[str, object] = {
        "label": label,
        "joint": joint,
        "mode": "voltage",
        "nominal_voltage_v": 12.0,
        "stall_torque_n_m": 2.0,
        "no_load_speed_rad_s": 10.0,
        "stall_current_a": 5.0,
        "continuous_torque_n_m": 0.5,
        "thermal_limit_s": 1.0,
        "control": Constant(share=1.0),
    }
    return Drive.model_validate(fields | changes)


def machine_scene(*bodies: Body, **changes: object) -> Scene:
    """Return a scene of bodies, with a payload at rest on a shelf far away."""
    shelf = block("far_shelf", (-900, -900, -25), (60, 60, 10), "environment")
    return empty_scene(ball((-900, -900, 0)), **({"bodies": (shelf, *bodies)} | changes))


def ball(start_mm: Vector, size_mm: float = BALL_MM, friction: float = 0.3) -> Payload:
    return Payload(shape="ball", size_mm=size_mm, start_mm=start_mm, density_kg_m3=POM_KG_M3, friction=friction)


def empty_scene(payload: Payload, **changes: object) -> Scene:
    """Return a scene with nothing but a payload and a far goal."""
    fields: dict[str, object] = {
        "bodies": (),
        "payload": payload,
        "goal_zone": box((900, 900, 0), (990, 990, 90)),
        "forbid_zones": (),
        "build_zone": box((-300, -150, 0), (600, 150, 500)),
        "bounds": box((-1000, -1000, -1000), (1000, 1000, 1000)),
        "hold_s": 0.5,
        "duration_s": 3.0,
    }
    return Scene.model_validate(fields | changes)


def loose_scene(count: int, **changes: object) -> Scene:
    """Return loose cubes that fall onto a floor, in layers of 12 by 12."""
    floor = block("floor", (165, 15, -5), (500, 500, 10), "environment")
    places = [(30.0 * (n % 12), 30.0 * (n // 12 % 12) - 150, 20.0 + 30.0 * (n // 144)) for n in range(count)]
    cubes = [solid(f"cube{n}", place, (25, 25, 25)) for n, place in enumerate(places)]
    return machine_scene(floor, *cubes, **changes)


def incline_scene(tilt_deg: float, duration_s: float = 0.6) -> Scene:
    """Return a ball resting on a wide plane that falls towards +x."""
    lift_mm, thickness_mm = BALL_MM / 2 + 5, 10
    normal = (sin(radians(tilt_deg)), cos(radians(tilt_deg)))
    plane = block("plane", (0, 0, 300), (1600, 400, thickness_mm), tilt_deg=tilt_deg)
    on_plane = ball((normal[0] * lift_mm, 0, 300 + normal[1] * lift_mm), friction=0.5)
    return empty_scene(on_plane, bodies=(plane,), duration_s=duration_s)


def chute_scene(**changes: object) -> Scene:
    """Return a ball that falls 30 mm onto a straight chute and rolls into a pocket inside the goal zone."""
    length, width, wall = 420.0, 54.0, 32.0
    slope = radians(SLOPE_DEG)
    along, up = (cos(slope), -sin(slope)), (sin(slope), cos(slope))

    def wall_at(label: str, offset_mm: float, thick_mm: float, tall_mm: float) -> Body:
        lift = (tall_mm - 6) / 2
        center = (200 + up[0] * lift, offset_mm, 250 + up[1] * lift)
        return block(label, center, (length, thick_mm, tall_mm), tilt_deg=SLOPE_DEG)

    end = (200 + along[0] * length / 2, 250 + along[1] * length / 2)
    floor_z = end[1] - 30
    bodies = (
        block("ground", (250, 0, -5), (1000, 400, 10), "environment"),
        block("shelf", (-60, 0, 155), (60, 120, 310), "environment"),
        block("floor", (200, 0, 250), (length, width, 6), tilt_deg=SLOPE_DEG),
        wall_at("wall_left", width / 2 + 3, 6, wall),
        wall_at("wall_right", -width / 2 - 3, 6, wall),
        block("back", (-8, 0, 315), (6, width + 12, 90)),
        block("pocket_floor", (end[0] + 45, 0, floor_z - 3), (100, 80, 6)),
        block("pocket_end", (end[0] + 98, 0, floor_z + 27), (6, 80, 66)),
        block("pocket_left", (end[0] + 45, 43, floor_z + 27), (100, 6, 66)),
        block("pocket_right", (end[0] + 45, -43, floor_z + 27), (100, 6, 66)),
        block("leg", (end[0] + 45, 0, (floor_z - 6) / 2), (14, 14, floor_z - 6)),
        block("post", (60, 0, 135), (14, 14, 270)),
    )
    goal = box((end[0] - 10, -60, floor_z - 12), (end[0] + 120, 60, floor_z + 90))
    fields: dict[str, object] = {
        "bodies": bodies,
        "goal_zone": goal,
        "forbid_zones": (Zone(label="wall_of_fire", box=box((180, 70, 60), (230, 160, 330))),),
        "build_zone": box((-30, -70, 0), (540, 65, 400)),
        "bounds": box((-250, -220, -20), (760, 220, 600)),
        "hold_s": 1.0,
        "duration_s": 6.0,
    }
    return empty_scene(ball((25, 0, 350)), **(fields | changes))


def box_mesh(label: str, low: Vector, high: Vector, rgba: tuple[float, float, float, float]) -> Mesh:
    """Return a box between two corners as twelve triangles."""
    vertices: list[Vector] = [
        (x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])
    ]
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    triangles = tuple(triangle for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d)))
    return Mesh(label=label, vertices_mm=tuple(vertices), triangles=triangles, color_rgba=rgba)
