"""Variants of the benchmarks that need a motor: distances and heights for any seed."""

import pytest
from benchmarks.loader import load
from hypothesis import given
from hypothesis import strategies as st

from tests.suite.worlds import nominal

seeds = st.integers(min_value=0, max_value=10**9)


@given(seeds)
def test_push_distance_is_110_to_700_mm_straight_ahead(seed: int) -> None:
    variant = load("push-flat", seed).variant
    (x, y, _), goal = variant.payload.start_mm, variant.goal_zone
    assert 110 <= abs(goal.center_mm[0] - x) <= 700
    inset = variant.payload.size_mm / 4
    assert goal.min_mm[1] + inset <= y <= goal.max_mm[1] - inset
    assert variant.payload.box.min_mm[2] == pytest.approx(0.0, abs=1e-3)
    assert goal.min_mm[2] < variant.payload.size_mm - 10


@given(seeds)
def test_lift_height_is_60_to_330_mm_straight_ahead(seed: int) -> None:
    variant = load("lift-to-shelf", seed).variant
    (_, y, z), goal = variant.payload.start_mm, variant.goal_zone
    shelf_z = goal.min_mm[2] - 2
    assert 60 <= shelf_z + variant.payload.size_mm / 2 - z <= 330
    assert goal.min_mm[1] + 10 <= y <= goal.max_mm[1] - 10
    assert goal.size_mm[0] >= 2 * variant.payload.size_mm


@pytest.mark.parametrize("benchmark", ["push-flat", "lift-to-shelf"])
def test_payload_must_hold_longer_than_it_takes_to_pass(benchmark: str) -> None:
    assert nominal(benchmark).variant.hold_s >= 2.0
