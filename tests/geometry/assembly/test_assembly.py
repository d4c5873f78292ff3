"""Orders of assembly: what comes out straight, around a corner, together, or not at all."""

from collections.abc import Callable, Sequence
from time import process_time

import numpy as np
import pytest
from build123d import Axis, Box, Cylinder, Plane, Polygon, Pos, Rot, Sphere, Torus, extrude
from build123d.topology import Shape
from geometry.arrays import as_vector
from geometry.assembly.order import AssemblyOrder, Screwed, assembly_order

from tests.support.solids.assemblies import THIRTY_PARTS, Named, keyhole_rail, nut, placed, rail


def order_of(parts: Named, slides: Sequence[Axis] = ()) -> AssemblyOrder:
    along = tuple(as_vector(np.array(tuple(axis.direction))) for axis in slides)
    return assembly_order([placed(label, shape, along) for label, shape in parts.items()])


def case(height: float = 34, lift: float = 0) -> Shape[object]:
    return Box(30, 25, 40) - Pos(0, 0, lift) * Box(24, 19, height)


def core() -> Shape[object]:
    return Pos(0, 0, -5) * Box(10, 10, 10)


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
    "nut through a keyhole": {"rail": keyhole_rail(), "nut": nut()},
    "two blocks": {"low": Box(20, 20, 10), "high": Pos(0, 0, 10.01) * Box(20, 20, 10)},
    "arch on posts": {
        "left": Pos(-20, 0, 0) * Box(8, 8, 30),
        "right": Pos(20, 0, 0) * Box(8, 8, 30),
        "arch": Pos(0, 0, 18.01) * Box(50, 8, 6),
    },
    "box of six panels": {
        **{f"side{n}": Pos(20.01 * n, 0, 0) * Box(3, 37, 37) for n in (-1, 1)},
        **{f"end{n}": Pos(0, 20.01 * n, 0) * Box(43.1, 3, 37) for n in (-1, 1)},
        **{f"cover{n}": Pos(0, 0, 20.01 * n) * Box(43.1, 43.1, 3) for n in (-1, 1)},
    },
    "drawer in a cabinet": {"cabinet": Box(40, 60, 30) - Pos(0, 3, 0) * Box(34, 60, 24), "drawer": Box(33, 50, 23)},
    "tenon in a mortise": {
        "beam": Box(60, 20, 20) - Box(10, 21, 10),
        "post": Pos(0, 30.01, 0) * Box(20, 40, 20) + Pos(0, 5, 0) * Box(9.9, 20, 9.9),
    },
    "dovetail": {"tail": TURNED * nut(), "socket": TURNED * rail()},
    "shaft in two bearings": {
        "shaft": Cylinder(5, 80),
        **{f"bearing{n}": Pos(0, 0, 30 * n) * (Cylinder(11, 7) - Cylinder(5.05, 8)) for n in (-1, 1)},
    },
    "shaft with a collar in a bearing": {
        "shaft": Cylinder(5, 80) + Pos(0, 0, 10) * Cylinder(9, 6),
        "bearing": Pos(0, 0, -10) * (Cylinder(11, 7) - Cylinder(5.05, 8)),
    },
    "motor in a cup": {
        "cup": Box(40, 40, 40) - Pos(0, 0, 5) * Cylinder(15.2, 40) - Cylinder(4, 60),
        "motor": Pos(0, 0, 2.51) * Cylinder(15, 34.9) + Pos(0, 0, -15) * Cylinder(3, 20),
    },
    "motor between two halves": {
        "low": Pos(0, 0, -10.01) * Box(40, 60, 20) - Rot(90, 0, 0) * Cylinder(12, 50),
        "high": Pos(0, 0, 10.01) * Box(40, 60, 20) - Rot(90, 0, 0) * Cylinder(12, 50),
        "motor": Rot(90, 0, 0) * Cylinder(11.9, 49),
    },
    "hinge pin with one head in two eyes": {
        "leaf": Pos(0, 0, 6) * (Cylinder(6, 10) - Cylinder(3.1, 10)) + Pos(15, 0, 6) * Box(20, 4, 10),
        "other leaf": Pos(0, 0, -6) * (Cylinder(6, 10) - Cylinder(3.1, 10)) + Pos(-15, 0, -6) * Box(20, 4, 10),
        "pin": Cylinder(3, 24) + Pos(0, 0, 13) * Cylinder(5, 2),
    },
    "open hook on a ring": {"hook": Torus(10, 2) - Pos(10, 0, 0) * Box(10, 10, 10), "rod": Cylinder(7, 60)},
    "ball in an open cage": {"cage": Box(30, 30, 30) - Box(24, 24, 31), "ball": Sphere(10)},
    "nested cups": {
        f"cup{n}": Pos(0, 0, 3.2 * n) * (Cylinder(20 - 3 * n, 30) - Pos(0, 0, 3) * Cylinder(17.5 - 3 * n, 30))
        for n in range(3)
    },
    "stack of discs on a spindle": {
        "spindle": Cylinder(4, 60) + Pos(0, 0, -28) * Cylinder(12, 4),
        **{f"disc{n}": Pos(0, 0, 6.01 * n - 20) * (Cylinder(15, 6) - Cylinder(4.1, 7)) for n in range(5)},
    },
    "key in a keyway": {
        "shaft": Cylinder(10, 50) - Pos(9, 0, 10) * Box(6, 4, 31),
        "key": Pos(9, 0, 10.1) * Box(5.8, 3.9, 30),
        "hub": Pos(0, 0, 10) * (Cylinder(20, 20) - Cylinder(10.1, 21) - Pos(10, 0, 0) * Box(6, 4.2, 21)),
    },
    "bolt through two plates": {
        **{f"plate{n}": Pos(0, 0, 8.01 * n) * (Box(40, 40, 8) - Cylinder(5.1, 8)) for n in range(2)},
        "bolt": Pos(0, 0, 4) * Cylinder(5, 20) + Pos(0, 0, 16) * Cylinder(8, 4),
    },
    "cross lap": {
        "one": Box(60, 10, 10) - Pos(0, 0, 2.5) * Box(10.1, 11, 5.1),
        "other": Box(10, 60, 10) - Pos(0, 0, -2.5) * Box(11, 10.1, 5.1),
    },
    "lid with a rim": {
        "pot": Cylinder(20, 30) - Pos(0, 0, 3) * Cylinder(17, 30),
        "lid": Pos(0, 0, 17.01) * Cylinder(20, 4) + Pos(0, 0, 14) * (Cylinder(16.8, 5) - Cylinder(14, 6)),
    },
    "ring around a post": {"post": Cylinder(8, 80), "ring": Cylinder(20, 6) - Cylinder(9, 7)},
    "slanted peg": {
        "block": Box(60, 60, 30) - Rot(0, 30, 0) * Cylinder(6, 100),
        "peg": Rot(0, 30, 0) * Cylinder(5.9, 60),
    },
}
SLIDES = {
    "dovetail": [Axis((0, 0, 0), tuple(TURNED.x_axis.direction))],
    "slanted peg": [Axis((0, 0, 0), tuple((Rot(0, 30, 0)).z_axis.direction))],
}
"""Directions that the shapes suggest, where those of the world do not suffice."""
LOCKED: dict[str, Named] = {
    "core in a closed case": {"case": case(), "core": core()},
    "rings": {"one": ring(0), "other": Pos(0, 0, -15) * ring(90)},
    "frames": {"one": Box(60, 20, 50) - Box(40, 30, 30), "other": Pos(0, 0, 30) * (Box(20, 60, 50) - Box(30, 40, 30))},
    "pin with two heads": {"plate": PLATE, "pin": PIN + HEAD + Pos(0, 0, -24.02) * HEAD},
    "nut in a closed slot": {"rail": rail(40, -5), "nut": nut()},
    "motor in a block, its shaft through a bore": {
        "block": Box(60, 60, 60) - Box(30.2, 30.2, 30.2) - Pos(0, 0, 25) * Cylinder(4, 40),
        "motor": Box(30, 30, 30) + Pos(0, 0, 25) * Cylinder(3, 40),
    },
    "bearing between two shoulders": {
        "shaft": Cylinder(5, 80) + Pos(0, 0, 10) * Cylinder(9, 6) + Pos(0, 0, -10) * Cylinder(9, 6),
        "bearing": Cylinder(11, 13.9) - Cylinder(5.05, 14),
    },
    "eye around a closed handle": {
        "handle": Box(60, 10, 40) - Box(44, 11, 24),
        "eye": Pos(0, 0, 16) * Rot(0, 90, 0) * (Cylinder(18, 10) - Cylinder(12, 10)),
    },
    "ball in a cage": {
        "cage": Box(30, 30, 30) - Box(24, 24, 24) - Cylinder(8, 40) - Rot(90, 0, 0) * Cylinder(8, 40),
        "ball": Sphere(10),
    },
    "hinge pin with heads in two eyes": {
        "leaf": Pos(0, 0, 6) * (Cylinder(6, 10) - Cylinder(3.1, 10)) + Pos(15, 0, 6) * Box(20, 4, 10),
        "other leaf": Pos(0, 0, -6) * (Cylinder(6, 10) - Cylinder(3.1, 10)) + Pos(-15, 0, -6) * Box(20, 4, 10),
        "pin": Cylinder(3, 24) + Pos(0, 0, 13) * Cylinder(5, 2) + Pos(0, 0, -13) * Cylinder(5, 2),
    },
    "three linked rings": {
        "one": ring(0),
        "other": Pos(0, 0, -15) * ring(90),
        "third": Pos(0, 0, -30) * ring(0),
    },
    "bolt with a head on each side of three plates": {
        **{f"plate{n}": Pos(0, 0, 8.01 * n) * (Box(40, 40, 8) - Cylinder(5.1, 8)) for n in range(3)},
        "bolt": Pos(0, 0, 8) * (Cylinder(5, 30) + Pos(0, 0, 15) * Cylinder(8, 4) + Pos(0, 0, -15) * Cylinder(8, 4)),
    },
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", ASSEMBLABLE)
def test_parts_that_come_apart_have_an_order(name: str) -> None:
    order = order_of(ASSEMBLABLE[name], SLIDES.get(name, ()))
    assert not order.locked
    assert len(order.steps) == len(ASSEMBLABLE[name]) - 1


@pytest.mark.sample(3)
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


def test_screw_comes_before_what_is_in_the_way_of_its_tool() -> None:
    blocks = {name: Pos(0, 0, 10.01 * level) * Box(20, 20, 10) for level, name in enumerate(("a", "b", "c"))}
    parts = [placed(label, shape, ()) for label, shape in blocks.items()]
    (first, last) = assembly_order(parts, screwed=[Screwed("b", "a", "c")]).steps
    assert ({*first.labels, *first.onto}, last.labels) == ({"a", "b"}, ("c",))
    (first, last) = assembly_order(parts, screwed=[Screwed("b", "c", "a")]).steps
    assert ({*first.labels, *first.onto}, {*last.labels, *last.onto}) == ({"b", "c"}, {"a", "b", "c"})
    both = [Screwed("b", "a", "c"), Screwed("b", "c", "a")]
    assert set(assembly_order(parts, screwed=both).locked) == {"a", "b", "c"}


def test_part_that_is_screwed_to_the_site_comes_before_its_obstacle() -> None:
    blocks = {name: Pos(30 * at, 0, 0) * Box(20, 20, 10) for at, name in enumerate(("a", "b"))}
    parts = [placed(label, shape, ()) for label, shape in blocks.items()]
    for first, obstacle in (("a", "b"), ("b", "a")):
        (step,) = assembly_order(parts, screwed=[Screwed(first, None, obstacle)]).steps
        assert (step.labels, step.onto) == ((obstacle,), (first,))


@pytest.mark.sample(1)
@pytest.mark.parametrize("make", THIRTY_PARTS)
def test_thirty_parts_get_an_order_within_seconds(make: Callable[[], Named]) -> None:
    """The goal is 5 s, which `./run perf parts/assembly` measures; loaded machines take several times as long."""
    parts = [placed(label, shape) for label, shape in make().items()]
    assert len(parts) == 30
    began = process_time()
    order = assembly_order(parts)
    assert process_time() - began < 20
    assert set(order.locked) == ({"case", "core"} if "case" in make() else set())


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
