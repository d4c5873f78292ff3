"""The worlds that need a motor: how far and how high, whatever the seed."""

import pytest
from benchmarks.loader import load
from hypothesis import given
from hypothesis import strategies as st

from tests.suite.worlds import nominal

seeds = st.integers(min_value=0, max_value=10**9)


@given(seeds)
def test_a_push_goes_150_to_400_mm_straight_ahead_over_the_floor(seed: int) -> None:
    variant = load("push-flat", seed).variant
    (x, y, _), goal = variant.payload.start_mm, variant.goal_zone
    assert 150 <= abs(goal.center_mm[0] - x) <= 400
    assert goal.min_mm[1] + 10 <= y <= goal.max_mm[1] - 10
    assert variant.payload.box.min_mm[2] == 0.0
    assert goal.min_mm[2] < variant.payload.size_mm - 10


@given(seeds)
def test_a_lift_goes_100_to_200_mm_up_to_a_shelf_straight_ahead(seed: int) -> None:
    variant = load("lift-to-shelf", seed).variant
    (_, y, z), goal = variant.payload.start_mm, variant.goal_zone
    shelf_z = goal.min_mm[2] - 2
    assert 100 <= shelf_z + variant.payload.size_mm / 2 - z <= 200
    assert goal.min_mm[1] + 10 <= y <= goal.max_mm[1] - 10
    assert goal.size_mm[0] >= 2 * variant.payload.size_mm


@pytest.mark.parametrize("family", ["push-flat", "lift-to-shelf"])
def test_the_payload_must_stay_for_longer_than_it_would_take_to_pass(family: str) -> None:
    assert nominal(family).variant.hold_s >= 2.0
