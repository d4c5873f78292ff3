"""Orders of assembly: what comes out straight, around a corner, together, or not at all."""

from collections.abc import Sequence

import numpy as np
import pytest
from build123d import Axis, Box, Cylinder, Plane, Polygon, Pos, Rot, Solid, Torus, extrude
from build123d.topology import Shape
from geometry.arrays import as_vector
from geometry.assembly.order import AssemblyOrder, AssemblyPart, assembly_order
from geometry.collision.decomposition import collision_geometry
from geometry.occt.meshes import closed_mesh

Named = dict[str, Shape[object]]


def order_of(parts: Named, slides: Sequence[Axis] = ()) -> AssemblyOrder:
    along = tuple(as_vector(np.array(tuple(axis.direction))) for axis in slides)
    return assembly_order([placed(label, shape, along) for label, shape in parts.items()])


def placed(label: str, shape: Shape[object], slides: tuple[tuple[float, float, float], ...]) -> AssemblyPart:
    (solid,) = shape.solids()
    assert isinstance(solid, Solid)
    return AssemblyPart(label, closed_mesh(solid, 0.1, 0.3), collision_geometry(solid).geoms, slides)


def case(height: float = 34, lift: float = 0) -> Shape[object]:
    return Box(30, 25, 40) - Pos(0, 0, lift) * Box(24, 19, height)


def core() -> Shape[object]:
    return Pos(0, 0, -5) * Box(10, 10, 10)


def rail(slot: float = 60, shift: float = 0) -> Shape[object]:
    return Box(60, 30, 20) - Pos(shift, 0, 5) * Box(slot, 8, 10.01) - Pos(shift, 0, -3) * Box(slot, 16, 6)


def nut() -> Shape[object]:
    return Pos(5, 0, -3) * Box(12, 15.8, 5.8) + Pos(5, 0, 6) * Box(12, 7.8, 20)


def ring(across: float) -> Shape[object]:
    return Rot(0, 0, across) * Rot(90, 0, 0) * Torus(10, 2.5)


PIN, PLATE = Cylinder(4, 20.02), Box(30, 30, 20) - Cylinder(4, 20)
HEAD = Pos(0, 0, 12.01) * Cylinder(8, 4)
TURNED = Rot(0, 0, 33)
WEDGE = extrude(Plane.XZ * Polygon((0, 0), (50, 0), (0, 30), align=None), 20)
ON_IT = Pos(0, 0, 0.02) * extrude(Plane.XZ * Polygon((0, 30), (50, 0), (50, 30), align=None), 20)
FORK = Box(20, 20, 20) - Pos(0, 0, 5) * Box(6, 20, 20) - Pos(0, 0, 5) * Rot(0, 90, 0) * Cylinder(2, 30)
EYE = Pos(0, 0, 10) * Box(5.8, 10, 10) - Pos(0, 0, 5) * Rot(0, 90, 0) * Cylinder(2, 30)
ASSEMBLABLE: dict[str, Named] = {
    "core in an open case": {"case": case(40, 10), "core": core()},
    "core under a lid": {"case": case(40, 10), "core": core(), "lid": Pos(0, 0, 22) * Box(30, 25, 4)},
    "pin in a tight bore": {"plate": PLATE, "pin": PIN},
    "pin with one head": {"plate": PLATE, "pin": PIN + HEAD},
    "snap of one millimetre": {"plate": PLATE, "pin": PIN + HEAD + Pos(0, 0, -11) * Cylinder(4.8, 2)},
    "wedge on a slope": {"wedge": WEDGE, "on it": ON_IT},
    "nut in an open slot": {"rail": rail(), "nut": nut()},
    "pin through fork and eye": {"fork": FORK, "eye": EYE, "pin": Pos(0, 0, 5) * Rot(0, 90, 0) * Cylinder(1.98, 24)},
    "nut through a keyhole": {"rail": rail(40, -5) - Pos(-15, 0, 3) * Box(14, 16, 14.01), "nut": nut()},
}
LOCKED: dict[str, Named] = {
    "core in a closed case": {"case": case(), "core": core()},
    "rings": {"one": ring(0), "other": Pos(0, 0, -15) * ring(90)},
    "frames": {"one": Box(60, 20, 50) - Box(40, 30, 30), "other": Pos(0, 0, 30) * (Box(20, 60, 50) - Box(30, 40, 30))},
    "pin with two heads": {"plate": PLATE, "pin": PIN + HEAD + Pos(0, 0, -24.02) * HEAD},
    "nut in a closed slot": {"rail": rail(40, -5), "nut": nut()},
}


@pytest.mark.parametrize("name", ASSEMBLABLE)
def test_parts_that_come_apart_have_an_order(name: str) -> None:
    order = order_of(ASSEMBLABLE[name])
    assert not order.locked
    assert len(order.steps) == len(ASSEMBLABLE[name]) - 1


@pytest.mark.parametrize("name", LOCKED)
def test_parts_that_cannot_come_apart_are_named(name: str) -> None:
    assert set(order_of(LOCKED[name]).locked) == set(LOCKED[name])


def test_only_the_locked_parts_are_named() -> None:
    parts = LOCKED["core in a closed case"] | {
        "foot": Pos(0, 0, -30) * Box(60, 60, 20),
        "mast": Pos(0, 0, 40) * Box(9, 9, 40),
    }
    assert set(order_of(parts).locked) == {"case", "core"}


def test_direction_that_is_no_axis_is_found_by_the_shape() -> None:
    parts: Named = {"rail": TURNED * rail(), "nut": TURNED * nut()}
    assert not order_of(parts, [Axis((0, 0, 0), tuple(TURNED.x_axis.direction))]).locked


def test_way_that_is_not_straight_has_no_direction() -> None:
    assert [step.direction for step in order_of(ASSEMBLABLE["nut through a keyhole"]).steps] == [None]


def test_lid_is_put_on_last() -> None:
    steps = order_of(ASSEMBLABLE["core under a lid"]).steps
    assert steps[-1].labels == ("lid",)
    assert steps[-1].direction == (0, 0, -1)


def test_group_is_put_in_place_as_one() -> None:
    """A bar with a collar on each side of a slotted wall, each collar pinned: both go in from above, together."""
    wall = Box(10, 60, 40) - Pos(0, 0, 10) * Box(10, 8, 40)
    bar = Pos(0, 0, 5) * Rot(0, 90, 0) * Cylinder(3, 40)
    collars = [Pos(x, 0, 5) * Rot(0, 90, 0) * (Cylinder(10, 6) - Cylinder(3.02, 6)) for x in (-8.1, 8.1)]
    order = order_of({"wall": wall, "bar": bar, "left": collars[0], "right": collars[1]})
    assert not order.locked


def test_order_builds_one_cluster_of_joined_parts_after_the_other() -> None:
    """Two stacks of three blocks side by side, of which every part can come from above at any time."""
    names = [f"{stack}{level}" for level in range(3) for stack in "ab"]
    blocks = {name: Pos(40 * (name[0] == "b"), 0, 10.01 * int(name[1])) * Box(20, 20, 10) for name in names}
    parts = [placed(label, shape, ()) for label, shape in blocks.items()]
    joined = [(f"{stack}{level}", f"{stack}{level + 1}") for stack in "ab" for level in range(2)]
    steps = assembly_order(parts, joined).steps
    there = set(steps[0].onto)
    for number, step in enumerate(steps):
        (label,) = step.labels
        assert set(step.onto) == there
        neighbours = {pair[0] if pair[1] == label else pair[1] for pair in joined if label in pair}
        assert neighbours & there or number == 2, "joined to what is there, but the first of the second stack"
        there.add(label)
    assert there == set(names)
