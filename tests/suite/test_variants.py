"""Variants: what seeds make of the gravity benchmarks."""

from functools import cache

import pytest
from agent.rendering.assignment import payload_table
from benchmarks import loader
from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.variant import make_variant
from contracts.models.geometry import Box
from hypothesis import given
from hypothesis import strategies as st

from tests.suite.worlds import FAMILIES

load = cache(loader.load)
"""Reading the files takes longer than what a test does with them, and most tests look at a variant more than once."""
families = st.sampled_from(FAMILIES)
seeds = st.integers(min_value=0, max_value=10**9)


def test_seeds_make_different_variants() -> None:
    for family in FAMILIES:
        assert len({load(family, seed).variant.goal_zone.model_dump_json() for seed in range(50)}) == 50


def test_zones_reach_the_most_and_the_least_that_they_may_shrink() -> None:
    for family in FAMILIES:
        shares = [share for seed in range(200) for share in goal_shares(family, seed)]
        most = load(family, 0).file.randomisation.shrink_up_to[0]
        assert min(shares) < 1 - 0.95 * most
        assert max(shares) > 1 - 0.05 * most


def test_half_of_all_seeds_mirror_the_world() -> None:
    for family in FAMILIES:
        assert load(family, 0).file.goal_zone.min_mm[0] > 0
        mirrored_seeds = sum(load(family, seed).variant.goal_zone.max_mm[0] < 0 for seed in range(200))
        assert 70 < mirrored_seeds < 130


def goal_shares(family: str, seed: int) -> list[float]:
    """Return what a seed leaves of the goal's size along each axis."""
    file, variant = load(family, seed).file, load(family, seed).variant
    scales = [new / old for new, old in zip(variant.bounds.size_mm, file.bounds.size_mm, strict=True)]
    sizes = zip(variant.goal_zone.size_mm, file.goal_zone.size_mm, scales, strict=True)
    return [new / (scale * old) for new, old, scale in sizes]


@given(families, seeds)
def test_every_variant_is_solvable_in_principle(family: str, seed: int) -> None:
    variant = load(family, seed).variant
    payload, goal = variant.payload, variant.goal_zone
    assert 20.0 <= payload.size_mm <= 40.0
    assert min(goal.size_mm[:2]) >= 3 * payload.size_mm - 0.01
    assert payload.box.min_mm[2] > goal.min_mm[2] + 2 * payload.size_mm
    assert not _overlap(payload.box, goal)
    assert not any(_overlap(payload.box, zone.box) or _overlap(goal, zone.box) for zone in variant.forbid_zones)
    assert goal.min_mm[2] > payload.size_mm, "a payload on the ground must not touch the goal"


def test_goal_rule_of_the_file_reaches_variant_and_assignment() -> None:
    loaded = load("detour", 0)
    assert loaded.variant.goal_rule == "touch"
    strict = BenchmarkFile.model_validate(loaded.file.model_dump() | {"goal_rule": "inside"})
    variant = make_variant(strict, 0, loaded.variant.environment_code)
    assert variant.goal_rule == "inside"
    assert "be entirely inside the goal zone" in payload_table(variant)
    with pytest.raises(ValueError, match="goal_rule"):
        BenchmarkFile.model_validate(loaded.file.model_dump() | {"goal_rule": "near"})


def _overlap(one: Box, other: Box) -> bool:
    return all(
        low < other_high and other_low < high
        for low, high, other_low, other_high in zip(one.min_mm, one.max_mm, other.min_mm, other.max_mm, strict=True)
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_lengths_are_whole_micrometres_and_not_coarser(seed: int) -> None:
    variant = load("detour", seed).variant
    boxes = (variant.bounds, variant.build_zone, variant.goal_zone, *(zone.box for zone in variant.forbid_zones))
    lengths = [*variant.payload.start_mm, *(edge for box in boxes for edge in (*box.min_mm, *box.max_mm))]
    assert all(each == round(each, 3) for each in lengths)
    assert any(each != round(each, 2) for each in lengths)
