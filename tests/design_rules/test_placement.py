"""Where parts may be: build zone, forbid zones, payload, environment and each other, with what is measured."""

import pytest
from build123d import Box, Cylinder, Pos, Rot, Sphere
from build123d.topology import Shape
from contracts.models.benchmark import Variant, Zone
from contracts.models.geometry import Box as Bounds
from contracts.models.mechanism import Connection, Constant, Joint, Mechanism, Motor
from design_rules.bodies.multibody import RigidGroups
from design_rules.bodies.solid_bodies import EnvironmentSolid, Part, SolidBody
from design_rules.rules.contact import environment_copies, floating_parts, interferences
from design_rules.rules.placement import inside_forbid_zones, on_payload, outside_build_zone

from tests.design_rules.solid_bodies import body

LOOSE = RigidGroups((), ())


def part(label: str, shape: Shape[object]) -> Part:
    return Part(label, body(label, shape).solid)


def wall(label: str, shape: Shape[object], **more: object) -> EnvironmentSolid:
    return EnvironmentSolid(label, body(label, shape).solid, **more)  # pyright: ignore[reportArgumentType]


ZONE = Bounds(min_mm=(-50, -40, 0), max_mm=(50, 40, 60))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("side", ["below", "above"])
@pytest.mark.parametrize(("beyond_mm", "is_reported"), [(0.0009, False), (0.0011, True), (3.5, True)])
def test_part_beyond_one_side_of_the_build_zone_is_reported(
    axis: int, side: str, beyond_mm: float, is_reported: bool
) -> None:
    place = [0.0, 0.0, 30.0]
    limit = ZONE.min_mm[axis] if side == "below" else ZONE.max_mm[axis]
    place[axis] = limit + (5 - beyond_mm) * (1 if side == "below" else -1)
    found = outside_build_zone([part("block", Pos(*place) * Box(10, 10, 10))], ZONE)
    assert [(each.rule, each.label) for each in found] == ([("outside_build_zone", "block")] if is_reported else [])
    if beyond_mm > 1:
        reached = limit + beyond_mm * (-1 if side == "below" else 1)
        text = f"block reaches {'xyz'[axis]} = {reached:.2f} mm, 3.50 mm {side} the limit of {limit:.2f} mm; move or"
        assert text.replace("0.00 mm;", "0 mm;") in found[0].detail.replace("0.00 mm;", "0 mm;")


def test_part_beyond_several_sides_names_each() -> None:
    found = outside_build_zone([part("bar", Pos(0, 38, 30) * Box(104, 10, 10))], ZONE)
    assert found[0].detail.count("the limit of") == 3


def forbidden(shape: Shape[object]) -> str:
    """Return the detail about a part and a zone from 100 to 120 along each axis; empty if there is none."""
    zone = Zone(label="lava", box=Bounds(min_mm=(100, 100, 100), max_mm=(120, 120, 120)))
    found = inside_forbid_zones([part("arm", shape)], [zone])
    assert {(each.rule, each.label) for each in found} <= {("inside_forbid_zone", "arm")}
    return found[0].detail if found else ""


def test_part_may_not_even_touch_a_forbid_zone() -> None:
    assert forbidden(Pos(94.99, 110, 110) * Box(10, 10, 10)) == ""
    touching = forbidden(Pos(95, 110, 110) * Box(10, 10, 10))
    assert "reaches 0" in touching
    deep = forbidden(Pos(97, 110, 110) * Box(10, 10, 10))
    assert "arm around (97.0, 110.0, 110.0) mm reaches 2.00 mm into forbid zone lava" in deep
    assert "move it more than 2.00 mm along (-1.00, 0.00, 0.00)" in deep


def test_round_part_beside_the_corner_of_a_zone_is_free_and_in_it_measured_exactly() -> None:
    assert forbidden(Pos(92, 92, 110) * Rot(0, 0, 0) * Cylinder(10, 10)) == ""
    assert "reaches 3.00 mm into" in forbidden(Pos(93, 110, 110) * Sphere(10))


def test_zones_and_parts_are_all_compared() -> None:
    boxes = {label: Bounds(min_mm=(x, 0, 0), max_mm=(x + 10, 10, 10)) for label, x in (("one", 0), ("two", 100))}
    zones = [Zone(label=label, box=box) for label, box in boxes.items()]
    parts = [part("a", Pos(5, 5, 5) * Box(2, 2, 2)), part("b", Pos(105, 5, 5) * Box(2, 2, 2))]
    assert [each.label for each in inside_forbid_zones(parts, zones)] == ["a", "b"]


@pytest.mark.parametrize(("overlap_mm", "is_reported"), [(0.0, False), (0.0009, False), (0.0012, True), (1.5, True)])
def test_part_may_touch_the_payload_but_not_overlap_it(variant: Variant, overlap_mm: float, is_reported: bool) -> None:
    payload = variant.payload
    x, y, z = payload.start_mm
    leg = part("leg", Pos(x, y, z - payload.size_mm / 2 - 10 + overlap_mm) * Box(10, 10, 20))
    found = on_payload([leg], variant)
    assert len(found) == is_reported
    if overlap_mm > 1:
        assert f"leg overlaps payload, the ball of 40 mm released at ({x:.1f}, {y:.1f}, {z:.1f}) mm" in found[0].detail
        assert "by 1.50 mm; leave that space free" in found[0].detail


def overlapping(first: Shape[object], other: SolidBody) -> str:
    one = part("first", first)
    if isinstance(other, EnvironmentSolid):
        found = interferences([one], [other], LOOSE)
        assert {each.rule for each in found} <= {"environment_interference"}
    else:
        assert isinstance(other, Part)
        found = interferences([one, other], [], LOOSE)
        assert {each.rule for each in found} <= {"interference"}
    assert {each.label for each in found} <= {"first"}
    return found[0].detail if found else ""


def test_overlap_of_more_than_a_cubic_millimetre_is_reported_with_the_way_out() -> None:
    slab = Box(20, 20, 20)
    assert overlapping(slab, part("second", Pos(19.9976, 0, 0) * Box(20, 20, 20))) == ""
    found = overlapping(slab, part("second", Pos(18, 0, 0) * Box(20, 20, 20)))
    assert found.startswith("first overlaps second by 800.0 mm³ around (9.0, 0.0, 0.0) mm, up to 1 mm³ counts as")
    assert "move first 2.00 mm along (-1.00, 0.00, 0.00) or second along (1.00, 0.00, 0.00), or make it" in found
    at_wall = overlapping(slab, wall("wall", Pos(0, -17, 0) * Box(20, 20, 20)))
    assert "first overlaps wall of the environment by 1200.0 mm³" in at_wall
    assert "move first 3.00 mm along (0.00, 1.00, 0.00), or make it smaller" in at_wall


def test_every_part_is_compared_with_every_other_and_with_the_environment() -> None:
    parts = [part(label, Pos(x, 0, 0) * Box(10, 10, 10)) for label, x in (("a", 0), ("b", 100), ("c", 5))]
    walls = [wall("far", Pos(300, 0, 0) * Box(10, 10, 10)), wall("near", Pos(105, 0, 0) * Box(10, 10, 10))]
    details = [each.detail for each in interferences(parts, walls, LOOSE)]
    assert [detail.split(" by ")[0] for detail in details] == ["a overlaps c", "b overlaps near of the environment"]


@pytest.mark.parametrize(
    ("shape", "is_copy"),
    [
        (Box(10, 20, 30), True),
        (Rot(0, 0, 180) * Box(10, 20, 30), True),
        (Pos(0.0005, 0, 0) * Box(10, 20, 30), True),
        (Pos(0.0015, 0, 0) * Box(10, 20, 30), False),
        (Box(10, 20, 30.01), False),
        (Box(10, 20, 30) - Pos(0, 0, 0) * Cylinder(2, 30), False),
    ],
)
def test_copy_of_a_solid_of_the_environment_is_recognised(shape: Shape[object], is_copy: bool) -> None:
    walls = [wall("other", Pos(50, 0, 0) * Box(1, 1, 1)), wall("block", Box(10, 20, 30))]
    found = environment_copies([part("mine", shape)], walls)
    assert [(each.rule, each.label) for each in found] == ([("environment_changed", "mine")] if is_copy else [])
    assert all("mine is a copy of block" in each.detail for each in found)


def test_copy_of_a_round_solid_is_recognised_by_its_shape() -> None:
    tube = Cylinder(10, 20) - Cylinder(5, 20)
    found = environment_copies([part("mine", tube)], [wall("tube", Cylinder(10, 20) - Cylinder(5, 20))])
    assert "mine is a copy of tube" in found[0].detail
    assert environment_copies([part("mine", tube)], [wall("tube", Cylinder(10, 20) - Cylinder(6, 20))]) == []
    assert environment_copies([part("mine", Cylinder(10, 20))], [wall("block", Box(20, 20, 20))]) == []
    turned = environment_copies([part("mine", Box(20, 20, 20))], [wall("round", Cylinder(10, 20))])
    assert turned == []


def test_label_of_the_environment_is_taken() -> None:
    found = environment_copies([part("wall", Pos(7, 8, 9) * Box(1, 1, 1))], [wall("wall", Box(10, 20, 30))])
    assert "wall around (7.0, 8.0, 9.0) mm has the label of wall" in found[0].detail


def at(label: str, z: float) -> Part:
    return part(label, Pos(0, 0, z) * Box(10, 10, 10))


FLOOR = wall("floor", Pos(0, 0, -5) * Box(100, 100, 10))


def floating(*parts: Part, mechanism: Mechanism) -> list[str]:
    return [each.label for each in floating_parts(parts, [FLOOR], mechanism)]


def joint(parent: str, child: str) -> Joint:
    return Joint(label="j", kind="revolute", parent=parent, child=child, anchor_mm=(0, 0, 0))


@pytest.mark.parametrize(
    ("mechanism", "loose"),
    [
        (Mechanism(), ["b", "c"]),
        (Mechanism(joints=(joint("a", "b"),)), ["c"]),
        (Mechanism(joints=(joint("b", "a"),)), ["c"]),
        (Mechanism(connections=(Connection(first="b", second="floor", means="fastened"),)), ["c"]),
        (Mechanism(connections=(Connection(first="c", second="b", means="fastened"),)), ["b", "c"]),
        (Mechanism(joints=(joint("b", "c"), joint("a", "b"))), []),
        (Mechanism(motors=(Motor(part="a", joint="j", control=Constant(share=1.0), pinion="b"),)), ["c"]),
        (Mechanism(motors=(Motor(part="a", joint="j", control=Constant(share=1.0)),)), ["b", "c"]),
    ],
)
def test_part_is_held_by_contact_connection_joint_or_shaft(mechanism: Mechanism, loose: list[str]) -> None:
    """One lies on the floor, two others hang 20 mm apart above it."""
    assert floating(at("c", 65), at("b", 35), at("a", 5), mechanism=mechanism) == loose[::-1]


def test_loose_solid_of_the_environment_holds_nothing() -> None:
    loose = wall("floor", Pos(0, 0, -5) * Box(100, 100, 10), is_loose=True)
    (found,) = floating_parts([at("a", 5)], [loose], Mechanism())
    assert found.detail.startswith("a around (0.0, 0.0, 5.0) mm floats: the environment has nothing fixed")


def test_floating_part_names_the_nearest_body_that_is_held() -> None:
    (found,) = floating_parts([at("low", 5), at("high", 22)], [FLOOR], Mechanism())
    assert found.detail.startswith("high around (0.0, 0.0, 22.0) mm floats: the nearest supported body, low, is 7.00")
