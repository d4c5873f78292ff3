"""Random worlds: they stay within their original boxes, keep their distances, and depend on the seed alone."""

from math import log2
from random import Random
from typing import Any

import pytest
from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.consistency import faults_of
from benchmarks.draws import Draws
from benchmarks.loader import built_in, load
from benchmarks.randomisation import Randomisation, ScaleRange
from benchmarks.variant import NoValidWorldError, extreme_variants, make_variant, nominal_variant
from contracts.models.benchmark import Variant
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.worlds.promises import CODE, broken_promises, random_file, variant_or_none

numbers = st.integers(min_value=0, max_value=10**9)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(numbers, numbers)
def test_random_variant_keeps_every_promise_and_is_reproduced(file_number: int, seed: int) -> None:
    file = random_file(Random(file_number))
    variant = variant_or_none(file, seed)
    if variant is not None:
        assert broken_promises(file, variant) == []
        assert Variant.model_validate_json(variant.model_dump_json()) == variant
        assert variant_or_none(file, seed) == variant


def with_changes(**changes: Any) -> BenchmarkFile:
    content = load("gravity-chute", 0).file.model_dump()
    randomisation = content["randomisation"] | changes.pop("randomisation", {})
    return BenchmarkFile.model_validate(content | changes | {"randomisation": randomisation})


def test_scales_are_log_uniform_unless_the_file_says_otherwise() -> None:
    assert Randomisation().distribution == "log_uniform"
    draws, limits = Draws(Random(7)), ScaleRange(low=0.5, high=2.0)
    logs = sorted(log2(draws.scale("scale_x", limits, "log_uniform")) for _ in range(4000))
    assert logs[1000] == pytest.approx(-0.5, abs=0.05)
    assert logs[2000] == pytest.approx(0.0, abs=0.05)
    assert (logs[0], logs[-1]) == pytest.approx((-1.0, 1.0), abs=0.01)
    assert sorted(draws.scale("scale_x", limits, "uniform") for _ in range(4000))[2000] == pytest.approx(1.25, abs=0.05)


def test_invalid_worlds_are_drawn_again_and_counted() -> None:
    wide = with_changes(randomisation={"start_spread_mm": [300, 0, 0], "mirror": []})
    redraws = [make_variant(wide, seed, CODE).redraws for seed in range(40)]
    assert min(redraws) == 0
    assert max(redraws) > 0
    assert all(broken_promises(wide, make_variant(wide, seed, CODE)) == [] for seed in range(40))


def test_seed_without_any_valid_world_fails_with_the_reason() -> None:
    narrow = {"label": "lid", "box": {"min_mm": [-220, -130, 300], "max_mm": [-140, -50, 445]}}
    squeezed = {"scale_z": {"low": 0.5, "high": 0.5}, "shrink_up_to": 0, "start_spread_mm": [0, 0, 0]}
    with pytest.raises(NoValidWorldError, match=r"seed 3 drew 50 worlds.*overlaps forbid zone lid by .* along z"):
        make_variant(with_changes(forbid_zones=[narrow], randomisation=squeezed), 3, CODE)


@pytest.mark.parametrize("name", built_in())
def test_built_in_families_never_need_a_second_draw(name: str) -> None:
    file = load(name, 0).file
    assert {make_variant(file, seed, CODE).redraws for seed in range(100)} == {0}


def test_parts_only_zone_may_hold_start_and_goal() -> None:
    zone = {"label": "no-parts", "box": {"min_mm": [-280, -200, 0], "max_mm": [280, 200, 580]}, "binds": "parts"}
    assert make_variant(with_changes(forbid_zones=[zone]), 0, CODE).forbid_zones[0].binds == "parts"


def test_extreme_world_that_is_invalid_is_left_out() -> None:
    low = {"label": "lid", "box": {"min_mm": [-220, -130, 300], "max_mm": [-140, -50, 445]}}
    file = with_changes(forbid_zones=[low], randomisation={"scale_z": {"low": 0.5, "high": 1.0}, "mirror": []})
    assert set(extreme_variants(file, CODE)) == {"largest"}


def test_payload_that_starts_at_its_bottom_does_so_at_any_scale_and_size() -> None:
    payload = {"shape": "cube", "size_mm": 40, "material_id": "pom", "start_mm": [-180, -90, 300], "start_at": "bottom"}
    file = with_changes(payload=payload, randomisation={"payload_size": {"low": 0.5, "high": 2.0}})
    sizes: set[float] = set()
    for seed in range(20):
        variant = make_variant(file, seed, CODE)
        scale = next(draw.value for draw in variant.draws if draw.name == "scale_z")
        spread = next(draw.value for draw in variant.draws if draw.name == "start_z")
        assert variant.payload.box.min_mm[2] == pytest.approx(scale * (300 + spread), abs=2e-3)
        sizes.add(variant.payload.size_mm)
    assert min(sizes) < 30
    assert max(sizes) > 55


def test_payload_that_shrinks_follows_the_smallest_scale_below_one() -> None:
    file = with_changes(randomisation={"scale_x": {"low": 0.5, "high": 2.0}, "payload_shrinks": True})
    nominal = nominal_variant(file, CODE).payload.size_mm
    smaller = 0
    for seed in range(20):
        variant = make_variant(file, seed, CODE)
        least = min(draw.value for draw in variant.draws if draw.name.startswith("scale_"))
        assert variant.payload.size_mm == pytest.approx(nominal * min(least, 1.0), abs=1e-3)
        smaller += least < 1.0
    assert 0 < smaller < 20


@pytest.mark.parametrize(
    ("changes", "jitter_mm"),
    [({}, 5.0), ({"replica_jitter_mm": 2}, 2.0), ({"replica_jitter_share": 0.05}, 2.0)],
)
def test_jitter_of_replicas_is_absolute_or_a_share_of_the_payload(changes: dict[str, Any], jitter_mm: float) -> None:
    assert make_variant(with_changes(**changes), 0, CODE).replica_jitter_mm == jitter_mm


def test_zones_shrink_along_each_axis_by_its_own_share() -> None:
    file = with_changes(randomisation={"shrink_up_to": [0.0, 0.4, 0.2]})
    for seed in range(20):
        variant = make_variant(file, seed, CODE)
        lost = {draw.name: draw.value for draw in variant.draws if draw.name.startswith("goal_zone.shrink")}
        assert lost["goal_zone.shrink_x"] == 0.0
        assert lost["goal_zone.shrink_z"] <= 0.2
        assert variant.goal_zone.size_mm[0] == pytest.approx(
            260 * next(draw.value for draw in variant.draws if draw.name == "scale_x"), abs=2e-3
        )


Fault = tuple[dict[str, Any], str]
FAULTS: dict[str, Fault] = {
    "outside": ({"min_mm": [0, 0, 400], "max_mm": [400, 50, 450]}, "inside bounds"),
    "at the start": ({"min_mm": [-220, -130, 400], "max_mm": [-140, -50, 500]}, "overlaps obstacle block"),
    "in the goal": ({"min_mm": [100, 0, 100], "max_mm": [150, 50, 200]}, "obstacle block: it overlaps goal_zone"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_obstacle_in_the_way_is_a_fault_of_the_file(name: str) -> None:
    box, fault = FAULTS[name]
    assert fault in "; ".join(faults_of(with_changes(obstacles=[{"label": "block", "box": box}])))


def test_limits_that_scale_with_length_grow_and_shrink_with_the_edges_of_the_world() -> None:
    limits = {"max_unit_price_usd": 100, "max_mass_kg": 2, "max_parts": 9, "scale_with": "length"}
    file = with_changes(limits=limits, randomisation={"scale_x": {"low": 0.5, "high": 2.0}})
    factors = [make_variant(file, seed, CODE).limits_factor for seed in range(20)]
    assert min(factors) < 0.9
    assert max(factors) > 1.3
    variant = make_variant(file, 3, CODE)
    factor = sum(variant.bounds.size_mm) / sum(file.bounds.size_mm)
    scaled = file.limits.scaled(variant.limits_factor)
    assert scaled.max_unit_price_usd == pytest.approx(100 * factor, rel=1e-3)
    assert scaled.max_mass_kg == pytest.approx(2 * factor, rel=1e-3)
    assert scaled.max_parts == 9


def test_limits_stay_as_stated_unless_the_file_says_otherwise() -> None:
    loaded = load("gravity-chute", 3)
    assert loaded.variant.limits_factor == 1.0
    assert "limits_factor" not in loaded.variant.model_dump()
    assert loaded.limits.model_dump() == loaded.file.limits.model_dump()


def test_file_that_does_not_use_the_full_range_says_why() -> None:
    files = [load(name, 0).file for name in built_in()]
    assert [file.name for file in files if not file.randomisation.is_full and file.randomisation.reason is None] == []
    assert [file.name for file in files if file.randomisation.is_full and file.randomisation.reason is not None] == []


def test_ranges_in_words_give_each_axis_and_the_reason() -> None:
    narrow = Randomisation(scale_x=ScaleRange(low=0.5, high=2.0), reason="it rolls")
    assert narrow.text == (
        "scales x 0.5 to 2, y 1 to 1, z 1 to 1; zones shrink by up to 0; not the full range: it rolls"
    )
