"""Variants: what seeds make of the gravity benchmarks."""

from functools import cache
from itertools import product

import pytest
from agent.rendering.assignment import payload_table
from benchmarks import loader
from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.variant import extreme_variants, make_variant
from contracts.models.benchmark import Variant
from contracts.models.geometry import Box
from hypothesis import given
from hypothesis import strategies as st

from tests.suite.worlds import FAMILIES, mirrored, nominal, scaled

load = cache(loader.load)
"""Reading the files takes longer than what a test does with them, and most tests look at a variant more than once."""
families = st.sampled_from(FAMILIES)
seeds = st.integers(min_value=0, max_value=10**9)


def possible_boxes(file: BenchmarkFile, box: Box, bounds: Box) -> list[Box]:
    """Return the boxes that a nominal box can become: scaled, and mirrored or not along x and y."""
    boxes: list[Box] = []
    for flip_x, flip_y in product((False, True), repeat=2):
        possible = scaled(file, box, bounds)
        possible = mirrored(possible, 0) if flip_x else possible
        boxes.append(mirrored(possible, 1) if flip_y else possible)
    return boxes


@given(families, seeds)
def test_variant_depends_only_on_the_seed(family: str, seed: int) -> None:
    assert loader.load(family, seed).variant == loader.load(family, seed).variant


def test_seeds_make_different_variants() -> None:
    for family in FAMILIES:
        assert len({load(family, seed).variant.goal_zone.model_dump_json() for seed in range(50)}) == 50


@given(families, seeds)
def test_bounds_are_scaled_within_the_range(family: str, seed: int) -> None:
    loaded = load(family, seed)
    for size, before in zip(loaded.variant.bounds.size_mm, loaded.file.bounds.size_mm, strict=True):
        assert 0.8 - 1e-3 <= size / before <= 1.4 + 1e-3


@given(families, seeds)
def test_zones_shrink_within_their_nominal_boxes(family: str, seed: int) -> None:
    file, variant = load(family, seed).file, load(family, seed).variant
    pairs = [(file.goal_zone, variant.goal_zone)]
    pairs += [(old.box, new.box) for old, new in zip(file.forbid_zones, variant.forbid_zones, strict=True)]
    for old, new in pairs:
        assert any(each.contains(new, tolerance_mm=0.01) for each in possible_boxes(file, old, variant.bounds))
        for size, most in zip(new.size_mm, possible_boxes(file, old, variant.bounds)[0].size_mm, strict=True):
            assert 0.6 * most - 0.01 <= size <= most + 0.01


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
    assert payload.size_mm == 40.0
    assert min(goal.size_mm[:2]) >= 3 * payload.size_mm - 0.01
    assert payload.box.min_mm[2] > goal.min_mm[2] + 2 * payload.size_mm
    assert not _overlap(payload.box, goal)
    assert not any(_overlap(payload.box, zone.box) or _overlap(goal, zone.box) for zone in variant.forbid_zones)
    assert goal.min_mm[2] > payload.size_mm, "a payload on the ground must not touch the goal"


def test_variant_without_randomisation_is_nominal() -> None:
    for family in FAMILIES:
        loaded = nominal(family)
        assert loaded.variant.goal_zone.model_dump() == loaded.file.goal_zone.model_dump()
        assert loaded.variant.payload.start_mm == loaded.file.all_payloads[0].start_mm


def test_goal_rule_of_the_file_reaches_variant_and_assignment() -> None:
    loaded = load("detour", 0)
    assert loaded.variant.goal_rule == "touch"
    strict = BenchmarkFile.model_validate(loaded.file.model_dump() | {"goal_rule": "inside"})
    variant = make_variant(strict, 0, loaded.variant.environment_code)
    assert variant.goal_rule == "inside"
    assert "be entirely inside the goal zone" in payload_table(variant)
    with pytest.raises(ValueError, match="goal_rule"):
        BenchmarkFile.model_validate(loaded.file.model_dump() | {"goal_rule": "near"})


def test_variant_survives_serialization() -> None:
    variant = load("detour", 3).variant
    assert Variant.model_validate_json(variant.model_dump_json()) == variant


def _overlap(one: Box, other: Box) -> bool:
    return all(
        low < other_high and other_low < high
        for low, high, other_low, other_high in zip(one.min_mm, one.max_mm, other.min_mm, other.max_mm, strict=True)
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_extreme_variants_are_the_ends_of_every_range(family: str) -> None:
    loaded = load(family, 0)
    drawn, start_mm = loaded.file.randomisation, loaded.file.all_payloads[0].start_mm
    extremes = extreme_variants(loaded.file, loaded.variant.environment_code)
    for name, sign, scales in (
        ("smallest", -1, [each.low for each in drawn.scales]),
        ("largest", 1, [each.high for each in drawn.scales]),
    ):
        spread_mm = [sign * each for each in drawn.start_spread_mm]
        ends = [scale * (at + by) for scale, at, by in zip(scales, start_mm, spread_mm, strict=True)]
        variant = extremes[name]
        assert variant.seed == 0
        mirrors = [at_x * end < 0 for at_x, end in zip(variant.payload.start_mm, ends, strict=True)]
        assert [abs(each) for each in variant.payload.start_mm] == pytest.approx([abs(each) for each in ends], abs=0.01)
        assert all(
            not mirrored_axis or axis in drawn.mirror for axis, mirrored_axis in zip("xyz", mirrors, strict=True)
        )


@pytest.mark.parametrize("seed", [1, 2])
def test_lengths_are_whole_micrometres_and_not_coarser(seed: int) -> None:
    variant = load("detour", seed).variant
    boxes = (variant.bounds, variant.build_zone, variant.goal_zone, *(zone.box for zone in variant.forbid_zones))
    lengths = [*variant.payload.start_mm, *(edge for box in boxes for edge in (*box.min_mm, *box.max_mm))]
    assert all(each == round(each, 3) for each in lengths)
    assert any(each != round(each, 2) for each in lengths)
