"""Turned boxes: axes, bounds and distances."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from offline_expert.boxes import Bounds, TurnedBox, gap_mm, upright
from offline_expert.markdown import LabelledBox

UNIT = TurnedBox((0, 0, 0), (2, 2, 2))
lengths = st.floats(0.5, 50)
centers = st.tuples(*[st.floats(-60, 60)] * 3)
angles = st.floats(-180, 180)
boxes = st.builds(TurnedBox, centers, st.tuples(lengths, lengths, lengths), angles, st.floats(-60, 60))


def test_gap_of_upright_boxes_is_distance_of_faces() -> None:
    assert gap_mm(UNIT, TurnedBox((2.5, 0, 0), (2, 2, 2))) == pytest.approx(0.5)
    assert gap_mm(UNIT, TurnedBox((1.5, 0, 0), (2, 2, 2))) == pytest.approx(-0.5)
    assert gap_mm(UNIT, TurnedBox((2.0, 0, 0), (2, 2, 2))) == pytest.approx(0.0)


def test_turned_box_touches_with_its_corner() -> None:
    turned = TurnedBox((1 + math.sqrt(2), 0, 0), (2, 2, 2), yaw_deg=45)
    assert gap_mm(UNIT, turned) == pytest.approx(0.0, abs=1e-9)


def test_gap_of_crossing_edges_is_positive() -> None:
    one = TurnedBox((0, 0, 0), (100, 1, 1), yaw_deg=30, pitch_deg=20)
    other = TurnedBox((0, 0, 2.0), (100, 1, 1), yaw_deg=-50, pitch_deg=-10)
    assert one.bounds.gap_mm(other.bounds) < 0
    assert 0 < gap_mm(one, other) < 2.0


def test_pitch_lowers_the_front() -> None:
    length, _, height = TurnedBox((0, 0, 0), (1, 1, 1), pitch_deg=30).axes
    assert length == pytest.approx((math.cos(math.radians(30)), 0, -0.5))
    assert height == pytest.approx((0.5, 0, math.cos(math.radians(30))))


@given(boxes, boxes)
def test_gap_is_symmetric_and_at_least_that_of_bounds(one: TurnedBox, other: TurnedBox) -> None:
    assert gap_mm(one, other) == pytest.approx(gap_mm(other, one), abs=1e-6)
    assert gap_mm(one, other) >= min(one.bounds.gap_mm(other.bounds), 1.0) - 1e-6


@given(boxes, boxes)
def test_boxes_with_same_centre_overlap(one: TurnedBox, other: TurnedBox) -> None:
    moved = TurnedBox(one.center, other.size, other.yaw_deg, other.pitch_deg)
    assert gap_mm(one, moved) < 0


@given(boxes)
def test_bounds_touch_the_box(box: TurnedBox) -> None:
    low, high = box.bounds
    neighbour = Bounds((high[0], low[1], low[2]), (high[0] + 1, high[1], high[2]))
    assert gap_mm(box, upright(neighbour)) == pytest.approx(0.0, abs=1e-6)


def test_box_is_crossed_by_segment_through_it() -> None:
    box = LabelledBox("forbid", "f", (0, 0, 0), (10, 10, 10))
    assert box.crosses((-5, 5, 5), (15, 5, 5))
    assert not box.crosses((-5, 12, 5), (15, 12, 5))
    assert not box.crosses((-5, 5, 5), (-1, 5, 5))
