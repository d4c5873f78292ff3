"""What rubs, stops and drives: friction of pairs and of loaded joints, stops without a body, shafts, teeth and pegs."""

from math import cos, radians, sin

from tests.support.cheats.case import Case, World, ball, cube

STUCK = ("missed_goal",)
WEAK = ("overloaded",)
_STEEL = 7850.0


def _floor(low: tuple[float, float, float], high: tuple[float, float, float]) -> dict[str, object]:
    """A floor as large as the world, whose top is z = 0."""
    return {
        "solids": {"floor": ((low[0], low[1], low[2]), (high[0], high[1], 0.0))},
        "bounds": (low, high),
        "build_zone": ((low[0] + 10, low[1] + 10, 0.0), (high[0] - 10, high[1] - 10, high[2] - 10)),
    }


def _slope_world(friction: float, start: tuple[float, float, float], goal_from: float = 60.0) -> World:
    """A cube above a ramp that ends before the goal."""
    return World(
        payload=cube(start, size_mm=30, friction=friction),
        goal=((goal_from, -80, 0), (230, 80, 70)),
        **_floor((-200, -100, -10), (250, 100, 300)),  # pyright: ignore[reportArgumentType] - fields by name
    )


def _slope(rise: float, material: str, ends: tuple[float, float] = (-160, 100), low: float = 12.0) -> str:
    """A wedge that falls by `rise` per mm to `low` at its second end, and a block behind the goal."""
    begin, end = ends
    high = low + (end - begin) * rise
    glue = "" if material == "pom" else "mechanism += [bonded('ramp', 'floor')]\n"
    return (
        f"side = Polygon(({begin:g}, GAP), ({end:g}, GAP), ({end:g}, {low:g}), ({begin:g}, {high:g}), align=None)\n"
        f"add('ramp', extrude(Plane.XZ * side, 40, both=True), {material!r})\n"
        "add('stop', Pos(205, 0, 20 + GAP) * Box(6, 160, 40))\n"
        f"mechanism += [bonded('stop', 'floor')]\n{glue}"
    )


_SEESAW = World(
    payload=ball((-40, 0, 261), size_mm=30, density_kg_m3=_STEEL, friction=0.4),
    goal=((-380, -150, 0), (-160, 150, 120)),
    hold_s=0.1,
    **_floor((-400, -200, -20), (400, 200, 500)),  # pyright: ignore[reportArgumentType] - fields by name
)


def _seesaw(length: float, width: float, material: str) -> str:
    """A balanced beam on a plain sleeve, with a ball 40 mm beside its axis."""
    return (
        "post = add('post', Pos(0, 0, 75 + GAP) * Cylinder(20, 150) + Pos(0, 0, 100 + GAP) * Cylinder(11, 200))\n"
        f"beam = add('beam', Pos(0, 0, 200) * (Box({length:g}, {width:g}, 90) - Cylinder(20, 100)), {material!r})\n"
        "hinge = RevoluteJoint('hinge', post, axis=Axis((0, 0, 200), (0, 1, 0)), angular_range=(-8, 8))\n"
        "hinge.connect_to(RigidJoint('bore', beam, Location(Plane((0, 0, 200), z_dir=(0, 1, 0)))), angle=0)\n"
        "mechanism += [bonded('post', 'floor')]\n"
    )


_FLAP = World(
    payload=ball((-60, 0, 235), density_kg_m3=_STEEL, friction=0.4),
    goal=((60, -80, 0), (200, 80, 120)),
    **_floor((-250, -150, -20), (300, 150, 400)),  # pyright: ignore[reportArgumentType] - fields by name
)


def _flap(length: float, rest: str = "", high: float = 0.01) -> str:
    """A board on a hinge that falls by 10 degrees, whose range ends where it is."""
    middle = -118 + length / 2 * cos(radians(10))
    height = 187.5 - length / 2 * sin(radians(10)) + 6.5
    return (
        "post = add('post', Pos(-118, 0, 75 + GAP) * Box(30, 40, 150) + Pos(-118, 0, 5 + GAP) * Box(100, 100, 10))\n"
        f"board = add('board', Pos({middle:g}, 0, {height:g}) * Rot(0, 10, 0) * Box({length:g}, 60, 8))\n"
        f"hinge = RevoluteJoint('hinge', post, axis=Axis((-118, 0, 173), (0, 1, 0)), angular_range=(-20, {high:g}))\n"
        "hinge.connect_to(RigidJoint('bore', board, Location(Plane((-118, 0, 173), z_dir=(0, 1, 0)))), angle=0)\n"
        "mechanism += [bonded('post', 'floor')]\n"
        "add('stop', Pos(205, 0, 30 + GAP) * Box(20, 160, 60))\nmechanism += [bonded('stop', 'floor')]\n"
        f"{rest}"
    )


def _rest(x: float, top: float) -> str:
    """A post below the board."""
    place = f"({x - 5:g}, {x + 5:g}), (-30, 30), (GAP, {top:g})"
    return f"add('rest', block({place}))\nmechanism += [bonded('rest', 'floor')]\n"


CHEATS = (
    Case(
        "cube_on_rubber",
        "a POM cube slides down rubber",
        _slope_world(0.2, (-120, 0, 118)),
        _slope(0.35, "tpu-95a"),
        STUCK,
    ),
    Case(
        "cube_on_abs",
        "a POM cube slides down ABS on a slope of 0.30: their friction is 0.32",
        _slope_world(0.2, (-120, 0, 98.5)),
        _slope(0.30, "abs"),
        STUCK,
    ),
    Case("seesaw_28", "a seesaw of 28 kg tips under 0.11 kg", _SEESAW, _seesaw(250, 170, "steel-1018"), STUCK),
    Case("seesaw_8", "a seesaw of 8 kg tips under 0.11 kg", _SEESAW, _seesaw(180, 70, "steel-1018"), STUCK),
    Case("held_by_range", "the range of a hinge carries a board and a ball", _FLAP, _flap(160), WEAK),
    Case("held_by_range_140", "the same with a shorter board", _FLAP, _flap(140), WEAK),
)
HONEST = (
    Case("cube_on_pla", "the same cube slides down PLA", _slope_world(0.2, (-120, 0, 118)), _slope(0.35, "pla")),
    Case(
        "rough_cube_on_pom",
        "a rough cube slides down POM",
        _slope_world(0.5, (-100, 0, 95), 20),
        _slope(0.45, "pom", (-130, 35), 8.0),
    ),
    Case("seesaw_2", "a seesaw of 1.8 kg tips under 0.11 kg", _SEESAW, _seesaw(250, 70, "pla")),
    Case("seesaw_3_5", "a seesaw of 3.5 kg tips under 0.11 kg", _SEESAW, _seesaw(250, 130, "pla")),
    Case("held_by_post", "the board lies on a post", _FLAP, _flap(160, _rest(10, 166.3), 20)),
    Case("held_near_hinge", "the board lies on a post 50 mm from its hinge", _FLAP, _flap(160, _rest(-60, 178.6), 20)),
)
