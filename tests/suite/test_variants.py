"""What a seed may make of a benchmark, and what is no benchmark."""

from itertools import product

import pytest
from benchmarks.benchmark_file import BenchmarkFile, read_benchmark
from benchmarks.loader import load
from contracts.models.benchmark import Variant
from contracts.models.geometry import Box
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.suite.worlds import FAMILIES, mirrored, nominal, stretched

families = st.sampled_from(FAMILIES)
seeds = st.integers(min_value=0, max_value=10**9)


def places(file: BenchmarkFile, box: Box, bounds: Box) -> list[Box]:
    """Return where a nominal box may lie: stretched, and mirrored or not along x and y."""
    found: list[Box] = []
    for flip_x, flip_y in product((False, True), repeat=2):
        place = stretched(file, box, bounds)
        place = mirrored(place, 0) if flip_x else place
        found.append(mirrored(place, 1) if flip_y else place)
    return found


@given(families, seeds)
def test_a_seed_always_makes_the_same_world(family: str, seed: int) -> None:
    assert load(family, seed).variant == load(family, seed).variant


def test_seeds_make_different_worlds() -> None:
    for family in FAMILIES:
        assert len({load(family, seed).variant.goal_zone.model_dump_json() for seed in range(50)}) == 50


@given(families, seeds)
def test_the_world_is_stretched_by_less_than_twofold_between_extremes(family: str, seed: int) -> None:
    loaded = load(family, seed)
    for size, before in zip(loaded.variant.bounds.size_mm, loaded.file.bounds.size_mm, strict=True):
        assert 0.8 - 1e-3 <= size / before <= 1.4 + 1e-3


@given(families, seeds)
def test_zones_shrink_and_stay_where_they_were(family: str, seed: int) -> None:
    file, variant = load(family, seed).file, load(family, seed).variant
    pairs = [(file.goal_zone, variant.goal_zone)]
    pairs += [(old.box, new.box) for old, new in zip(file.forbid_zones, variant.forbid_zones, strict=True)]
    for old, new in pairs:
        assert any(place.contains(new, tolerance_mm=0.01) for place in places(file, old, variant.bounds))
        for size, most in zip(new.size_mm, places(file, old, variant.bounds)[0].size_mm, strict=True):
            assert 0.6 * most - 0.01 <= size <= most + 0.01


@given(families, seeds)
def test_every_world_can_be_solved_in_principle(family: str, seed: int) -> None:
    variant = load(family, seed).variant
    payload, goal = variant.payload, variant.goal_zone
    assert payload.size_mm == 40.0
    assert min(goal.size_mm[:2]) >= 3 * payload.size_mm - 0.01
    assert payload.box.min_mm[2] > goal.min_mm[2] + 2 * payload.size_mm
    assert not _meet(payload.box, goal)
    assert not any(_meet(payload.box, zone.box) or _meet(goal, zone.box) for zone in variant.forbid_zones)
    assert goal.min_mm[2] > payload.size_mm, "a payload on the ground must not touch the goal"


def test_without_randomisation_the_world_is_as_written() -> None:
    for family in FAMILIES:
        loaded = nominal(family)
        assert loaded.variant.goal_zone.model_dump() == loaded.file.goal_zone.model_dump()
        assert loaded.variant.payload.start_mm == loaded.file.payload.start_mm


def test_a_variant_survives_its_json() -> None:
    variant = load("detour", 3).variant
    assert Variant.model_validate_json(variant.model_dump_json()) == variant


WRONG: list[tuple[dict[str, object], str]] = [
    ({"duration": 5}, "duration"),
    ({"payload": {"shape": "ball", "size": 40}}, "payload.size"),
    ({"randomisation": {"scale_x": {"low": 0.5, "high": 1.4}}}, "low <= high <= 2 low"),
    ({"randomisation": {"shrink_up_to": 0.5}}, "less than or equal to 0.4"),
    ({"bounds": {"min_mm": [-300, -220, -20], "max_mm": [400, 220, 600]}}, "symmetric along x"),
    ({"goal_zone": {"min_mm": [10, -70, 130], "max_mm": [295, 190, 310]}}, "inside build_zone"),
    ({"goal_zone": {"min_mm": [9, 0, 5], "max_mm": [5, 9, 9]}}, "x runs from 9 to 5"),
    (
        {"forbid_zones": [{"label": "red", "box": {"min_mm": [0, 0, 0], "max_mm": [50, 50, 200]}}]},
        "reach into goal_zone",
    ),
    ({"forbid_zones": [{"label": "red", "box": {"min_mm": [-200, -99, 400], "max_mm": [-99, 0, 500]}}]}, "into red"),
    ({"title": " "}, "title"),
]


@pytest.mark.parametrize(("change", "complaint"), WRONG, ids=[complaint for _, complaint in WRONG])
def test_a_file_with_a_mistake_is_refused_and_the_mistake_named(change: dict[str, object], complaint: str) -> None:
    content = load("gravity-chute", 0).file.model_dump()
    read_benchmark(content)
    with pytest.raises(ValidationError) as refusal:
        read_benchmark({**content, **change})
    told = str(refusal.value)
    assert complaint in told


def _meet(one: Box, other: Box) -> bool:
    return all(
        low < other_high and other_low < high
        for low, high, other_low, other_high in zip(one.min_mm, one.max_mm, other.min_mm, other.max_mm, strict=True)
    )
