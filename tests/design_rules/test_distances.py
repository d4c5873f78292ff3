"""Gaps, overlaps and contacts of two bodies: of boxes by their corners, of all others by their exact shapes."""

from collections.abc import Callable
from typing import Any

import pytest
from build123d import Box, Cylinder, Location, Pos, Rot, Sphere
from build123d.topology import Shape
from contracts.models.benchmark import Payload
from contracts.models.geometry import Box as Bounds
from contracts.models.geometry import Vector
from design_rules.bodies.distances import (
    are_touching,
    box_body,
    box_separation,
    can_be_glued,
    gap_mm,
    glue_contact,
    overlap,
    payload_gap_mm,
)
from design_rules.bodies.solid_bodies import SolidBody

from tests.design_rules.solid_bodies import body

UPRIGHT, TURN = Location(), Rot(20, 30, 40)
"""Both bodies turned together: their distance stays what it is, their bounding boxes overlap."""
Make = Callable[[], Shape[Any]]
SHAPES: dict[str, Make] = {"box": lambda: Box(10, 20, 30), "cylinder": lambda: Rot(0, 90, 0) * Cylinder(10, 10)}
"""Each 10 mm long along x."""


def pair(first: str, second: str, gap: float, turn: Any = UPRIGHT) -> tuple[SolidBody, SolidBody]:
    """Return two bodies beside each other along x, this far apart or, below 0, inside each other."""
    other = Pos(10 + gap, 0, 0) * SHAPES[second]()
    return body("first", turn * SHAPES[first]()), body("second", turn * other)


PAIRS = [("box", "box"), ("box", "cylinder"), ("cylinder", "box"), ("cylinder", "cylinder")]
TURNS = pytest.mark.parametrize("turn", [UPRIGHT, TURN], ids=["upright", "turned"])


@TURNS
@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize(("gap", "expected"), [(3.0, 3.0), (0.001, 0.001), (0.0, 0.0), (-2.0, 0.0)])
def test_gap_is_the_distance_of_two_bodies_or_zero(
    first: str, second: str, gap: float, expected: float, turn: Any
) -> None:
    assert gap_mm(*pair(first, second, gap, turn)) == pytest.approx(expected, abs=1e-6)


@TURNS
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_bodies_touch_up_to_a_gap(first: str, second: str, turn: Any) -> None:
    for gap, touches in ((0.04999, True), (0.052, False), (0.0, True), (-1.0, True)):
        assert are_touching(*pair(first, second, gap, turn)) is touches
    for gap, touches in ((0.9, True), (1.1, False), (0.0, True)):
        assert are_touching(*pair(first, second, gap, turn), 1.0) is touches


def test_turned_boxes_whose_corners_pass_each_other_do_not_touch() -> None:
    """Two long bars that cross at 10 mm: their bounding boxes overlap, and a plane between them is hard to find."""
    first = body("first", Rot(0, 0, 45) * Box(100, 4, 4))
    second = body("second", Pos(20, 0, 0) * Rot(0, 0, 45) * Box(100, 4, 4))
    assert not are_touching(first, second)
    assert gap_mm(first, second) == pytest.approx(20 / 2**0.5 - 4)
    edge_on = body("edge", Pos(0, 0, 4 + 2**0.5 * 2 - 2) * Rot(45, 0, 0) * Box(4, 4, 4))
    assert are_touching(edge_on, body("bar", Pos(0, 0, 0) * Box(4, 100, 4)))


@TURNS
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_overlap_is_the_common_volume(first: str, second: str, turn: Any) -> None:
    for gap in (1.0, 0.0, 1e-7):
        assert overlap(*pair(first, second, gap, turn)) is None
    found = overlap(*pair(first, second, -2.0, turn))
    assert found is not None
    area = 600.0 if {first, second} == {"box"} else 100 * 3.14159265 if "box" not in (first, second) else None
    if area is not None:
        assert found.volume_mm3 == pytest.approx(2 * area, rel=1e-4)
    if turn is not TURN:
        assert found.depth_mm == pytest.approx(2.0, abs=1e-3)


def test_bodies_whose_boxes_overlap_may_be_apart() -> None:
    ball, corner = body("ball", Sphere(10)), body("corner", Pos(12, 12, 12) * Box(10, 10, 10))
    assert overlap(ball, corner) is None
    assert gap_mm(ball, corner) == pytest.approx(7 * 3**0.5 - 10)


def test_separation_is_that_of_the_boxes_around_two_bodies() -> None:
    first, second = pair("box", "cylinder", -2.0)
    found = box_separation(first, second)
    assert found.gap_mm == pytest.approx(-2.0)
    assert found.direction == pytest.approx((1.0, 0.0, 0.0))
    turned = box_separation(*pair("box", "box", 3.0, TURN))
    assert turned.gap_mm == pytest.approx(3.0)


@TURNS
@pytest.mark.parametrize(("gap", "area"), [(0.0, 600.0), (0.049, 600.0), (0.051, 0.0)])
def test_glue_covers_the_faces_that_meet(gap: float, area: float, turn: Any) -> None:
    found = glue_contact(*pair("box", "box", gap, turn))
    assert found.area_mm2 == pytest.approx(area, rel=1e-3)
    assert found.gap_mm == pytest.approx(gap, abs=1e-6)
    assert (found.patch is None) is (area == 0.0)


def test_edge_on_a_face_holds_no_glue() -> None:
    edge = body("edge", Pos(5 + 200**0.5 / 2, 0, 0) * Rot(0, 0, 45) * Box(10, 10, 10))
    found = glue_contact(body("box", Box(10, 20, 30)), edge)
    assert (found.area_mm2, found.patch) == (0.0, None)
    assert found.gap_mm == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(("shared_mm", "is_glued"), [(0.9, False), (1.1, True)])
def test_glue_needs_a_square_millimetre(shared_mm: float, is_glued: bool) -> None:
    first = body("first", Box(10, 10, 10))
    second = body("second", Pos(10, 0, 5 + 1 - shared_mm) * Box(10, 1, 2))
    assert can_be_glued(first, second) is is_glued
    assert not can_be_glued(first, body("far", Pos(10.06, 0, 0) * Box(10, 10, 10)))


def payload(shape: str, start: Vector, **changes: object) -> Payload:
    fields: dict[str, object] = {"shape": shape, "size_mm": 20, "start_mm": start, "density_kg_m3": 1000}
    return Payload.model_validate(fields | {"friction": 0.3} | changes)


@pytest.mark.parametrize("shape", ["ball", "cube"])
@pytest.mark.parametrize("make", ["box", "cylinder"])
@pytest.mark.parametrize("gap", [4.0, 0.0, -1.5])
def test_payload_gap_is_that_of_its_surface(shape: str, make: str, gap: float) -> None:
    """10 mm from centre to surface; the other body begins at x = 5."""
    found = payload_gap_mm(payload(shape, (15 + gap, 0, 0)), body("block", SHAPES[make]()))
    assert found == pytest.approx(gap, abs=1e-3)


@pytest.mark.parametrize("make", ["box", "cylinder"])
def test_turned_payload_is_measured_as_it_is_turned(make: str) -> None:
    half = 0.5**0.5
    turned = payload("cube", (20 + 5, 0, 0), start_quaternion=(0.9238795325, 0.0, 0.0, 0.3826834324))
    found = payload_gap_mm(turned, body("block", SHAPES[make]()))
    assert found == pytest.approx(20 - 20 * half, abs=1e-3)


def test_box_of_a_zone_is_a_body() -> None:
    zone = box_body("goal", Bounds(min_mm=(1, 2, 3), max_mm=(11, 22, 33)))
    assert (zone.bounds.min_mm, zone.bounds.max_mm) == (pytest.approx((1, 2, 3)), pytest.approx((11, 22, 33)))
    assert zone.volume_mm3 == pytest.approx(6000)
