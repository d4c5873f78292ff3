"""Parts that are weak where beams do not look: necks, thin posts in torsion, lids, and shelves under a blow."""

from tests.support.cheats.case import Case, World, ball

WEAK = ("overloaded",)
_STEEL = 7850.0


def _world(fall_mm: float, onto_mm: float, x_mm: float = 0.0, size_mm: float = 30.0) -> World:
    """A floor; a steel ball falls onto a surface at this height, and is in the goal all the time."""
    return World(
        solids={"floor": ((-300, -300, -10), (300, 300, 0))},
        payload=ball((x_mm, 0, onto_mm + fall_mm + size_mm / 2), size_mm, _STEEL, 0.5),
        goal=((-300, -300, 0), (300, 300, 700)),
        hold_s=0.6,
        duration_s=1.0,
    )


def _slab(neck_mm: float, turn: str, at: float = 8.0) -> str:
    """A slab with a ledge that is cut through but for a square neck, and a tray for the ball on it."""
    return (
        f"gap = Pos(0, 0, {at:g}) * {turn} * (Box(200, 200, 0.5) - Box({neck_mm:g}, {neck_mm:g}, 1))\n"
        "add('slab', Pos(0, 0, 10 + GAP) * Box(60, 60, 20) + Pos(60, 0, 14.5) * Box(70, 30, 11) - gap)\n"
        "mechanism += [bonded('slab', 'floor')]\n"
    )


def _groove(core_mm: float) -> str:
    """A rod with a round groove, which carries a plate off its axis."""
    return (
        f"groove = Pos(0, 0, 41) * (Cylinder(15, 3) - Cylinder({core_mm / 2:g}, 3))\n"
        "rod = Pos(0, 0, 40 + GAP) * Cylinder(12, 80) - groove\n"
        "add('rod', rod + Pos(20, 0, 84 + GAP) * Box(100, 40, 8))\n"
        "mechanism += [bonded('rod', 'floor')]\n"
    )


def _crank(post_mm: float, material: str = "pla") -> str:
    """An arm that sticks out from a lying bar: the bar is twisted, its ends are glued to blocks."""
    return (
        f"bar = Pos(0, 0, 50) * Rot(90, 0, 0) * Cylinder({post_mm / 2:g}, 120)\n"
        "ends = Pos(0, -70, 25 + GAP) * Box(40, 40, 50) + Pos(0, -70, 50) * Box(40, 30, 30)\n"
        "arm = Pos(45, 0, 50) * Box(120, 24, 16)\n"
        f"add('crank', bar + ends + arm, {material!r})\n"
        "mechanism += [bonded('crank', 'floor')]\n"
    )


def _lid(thickness: float, material: str = "pla", opening: float = 80.0) -> str:
    """A lid on a frame."""
    return (
        f"add('frame', Pos(0, 0, 20) * (Box({opening + 20:g}, {opening + 20:g}, 39.98)"
        f" - Box({opening:g}, {opening:g}, 50)))\n"
        f"add('lid', Pos(0, 0, 40 + GAP + {thickness / 2:g}) * Box({opening + 20:g}, {opening + 20:g}, {thickness:g}),"
        f" {material!r})\n"
        "mechanism += [bonded('frame', 'floor'), bonded('frame', 'lid')]\n"
    )


def _shelf(length: float, thickness: float, width: float = 30.0, material: str = "pla") -> str:
    """A shelf on one tower; the ball falls onto its end."""
    return (
        "add('tower', Pos(-15, 0, 20) * Box(30, 50, 39.98))\n"
        f"add('board', Pos({length / 2 - 15:g}, 0, 40 + GAP + {thickness / 2:g})"
        f" * Box({length + 30:g}, {width:g}, {thickness:g}), {material!r})\n"
        "mechanism += [bonded('tower', 'floor'), bonded('tower', 'board')]\n"
    )


CHEATS = (
    Case(
        "neck_1",
        "a slab is cut through but for a neck of 1.2 mm",
        _world(20, 20.0, 60),
        _slab(1.2, "Rot(0, 0, 45)"),
        WEAK,
    ),
    Case("neck_tilted", "the cut is tilted by 9 degrees", _world(20, 20.0, 60), _slab(2.0, "Rot(0, 9, 20)"), WEAK),
    Case("groove_3", "a rod has a groove down to 3 mm", _world(20, 88.0, 50), _groove(3.0), WEAK),
    Case("crank_6", "a bar of 6 mm is twisted by its arm", _world(10, 58.0, 90), _crank(6.0), WEAK),
    Case("crank_8", "a bar of 8 mm, shallow fall", _world(10, 58.0, 90), _crank(8.0), WEAK),
    Case("lid_1", "a lid of 0.9 mm over 80 mm", _world(110, 41.0), _lid(0.9), WEAK),
    Case("lid_2", "a lid of 1.6 mm over 60 mm", _world(110, 41.6), _lid(1.6, opening=60.0), WEAK),
    Case("shelf_52", "a shelf of 6 mm under a fall of 110 mm", _world(110, 46.0, 50), _shelf(52, 6.0), WEAK),
    Case("shelf_90", "a longer shelf under a higher fall", _world(200, 48.0, 80), _shelf(90, 8.0), WEAK),
)
HONEST = (
    Case("neck_30", "the neck is 30 mm wide", _world(20, 20.0, 40), _slab(30.0, "Rot(0, 0, 45)")),
    Case("groove_20", "the groove leaves 20 mm", _world(20, 88.0, 50), _groove(20.0)),
    Case("crank_10", "8 of 17 MPa by hand in a shallow fall", _world(10, 58.0, 90), _crank(10.0)),
    Case("crank_30", "the bar is 30 mm thick", _world(10, 58.0, 60), _crank(30.0)),
    Case("lid_12", "a lid of 12 mm", _world(110, 52.0), _lid(12.0)),
    Case("lid_aluminium", "a lid of aluminium, 5 mm", _world(60, 45.0), _lid(5.0, "aluminum-6061")),
    Case("shelf_25", "a shelf of 25 mm", _world(60, 65.0, 45), _shelf(52, 25.0)),
    Case(
        "shelf_aluminium",
        "a shelf of aluminium, 10 mm",
        _world(60, 50.0, 45),
        _shelf(52, 10.0, material="aluminum-6061"),
    ),
)
