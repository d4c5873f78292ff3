"""The smallest and the largest world of a file, to the micrometre: what is scaled, shrunk, moved, mirrored and kept."""

import pytest
from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.loader import load
from benchmarks.variant import extreme_variants, make_variant, nominal_world
from contracts.models.geometry import Box, Vector

from tests.support.worlds.promises import CODE

SHRINK, SPREAD = (0.1, 0.2, 0.3), (10.0, 20.0, 5.0)
LOW, HIGH = (0.7, 0.9, 1.1), (1.1, 1.3, 1.2345678)


def file_with(**changes: object) -> BenchmarkFile:
    content = load("gravity-chute", 0).file.model_dump()
    scales = {f"scale_{axis}": {"low": low, "high": high} for axis, low, high in zip("xyz", LOW, HIGH, strict=True)}
    randomisation = {**scales, "distribution": "uniform", "reason": "a test", "shrink_up_to": SHRINK}
    randomisation |= {"start_spread_mm": SPREAD, "mirror": (), **changes}
    return BenchmarkFile.model_validate(content | {"randomisation": randomisation})


def ends(variant_box: Box) -> tuple[Vector, Vector]:
    return variant_box.min_mm, variant_box.max_mm


def scaled(box: Box, factors: Vector) -> tuple[list[float], list[float]]:
    """Return the rounded ends of a box whose axes are scaled by positive factors."""
    low, high = ([round(end * factor, 3) for end, factor in zip(side, factors, strict=True)] for side in ends(box))
    return low, high


def test_smallest_world_has_the_least_scales_and_whole_zones() -> None:
    file = file_with()
    smallest = extreme_variants(file, CODE)["smallest"]
    assert smallest.seed == 0
    for found, stated in (
        (smallest.bounds, file.bounds),
        (smallest.build_zone, file.build_zone),
        (smallest.goal_zone, file.goal_zone),
        (smallest.forbid_zones[0].box, file.forbid_zones[0].box),
    ):
        assert ends(found) == tuple(map(tuple, scaled(stated, LOW)))
    start = [
        round(factor * (at - by), 3) for factor, at, by in zip(LOW, file.all_payloads[0].start_mm, SPREAD, strict=True)
    ]
    assert list(smallest.payload.start_mm) == start


def test_largest_world_has_the_greatest_scales_and_zones_at_their_far_ends() -> None:
    """A zone that has lost its share along each axis, moved as far as its nominal box lets it."""
    file = file_with()
    largest = extreme_variants(file, CODE)["largest"]
    for found, stated in ((largest.goal_zone, file.goal_zone), (largest.forbid_zones[0].box, file.forbid_zones[0].box)):
        low, high = scaled(stated, HIGH)
        kept = [(1 - share) * (b - a) for share, a, b in zip(SHRINK, low, high, strict=True)]
        begin = [round(b - size, 3) for b, size in zip(high, kept, strict=True)]
        assert (list(found.min_mm), list(found.max_mm)) == (pytest.approx(begin), pytest.approx(high))
    assert ends(largest.build_zone) == tuple(map(tuple, scaled(file.build_zone, HIGH)))
    start = [
        round(factor * (at + by), 3) for factor, at, by in zip(HIGH, file.all_payloads[0].start_mm, SPREAD, strict=True)
    ]
    assert list(largest.payload.start_mm) == start
    assert all(value == round(value, 3) for value in (*largest.bounds.max_mm, *largest.payload.start_mm))


@pytest.mark.parametrize("axes", [("x",), ("y",), ("x", "y")])
def test_mirrored_world_has_the_mirrored_boxes_starts_and_velocities(axes: tuple[str, ...]) -> None:
    """The smallest world is mirrored where it may be."""
    plain, mirrored = (extreme_variants(file_with(mirror=each), CODE)["smallest"] for each in ((), axes))
    signs = [-1.0 if axis in axes else 1.0 for axis in "xyz"]
    assert list(mirrored.payload.start_mm) == [
        sign * at for sign, at in zip(signs, plain.payload.start_mm, strict=True)
    ]
    for found, stated in ((mirrored.goal_zone, plain.goal_zone), (mirrored.bounds, plain.bounds)):
        pairs = zip(signs, stated.min_mm, stated.max_mm, strict=True)
        expected = [sorted((sign * low, sign * high)) for sign, low, high in pairs]
        assert [list(each) for each in zip(found.min_mm, found.max_mm, strict=True)] == expected


def test_nominal_world_is_the_file_itself() -> None:
    file = file_with(mirror=("x", "y"))
    world = nominal_world(file)
    for found, stated in ((world.goal_zone, file.goal_zone), (world.bounds, file.bounds)):
        assert ends(found) == ends(stated)
    assert world.payloads[0].start_mm == file.all_payloads[0].start_mm


def test_draws_of_a_seed_explain_its_zones() -> None:
    """Each axis loses a share of its scaled size, and a share of that lies before the zone."""
    file = file_with()
    for seed in range(5):
        variant = make_variant(file, seed, CODE)
        draws = {each.name: each.value for each in variant.draws[-len(variant.draws) :]}
        for index, axis in enumerate("xyz"):
            factor = draws[f"scale_{axis}"]
            low, high = (round(end[index] * factor, 3) for end in ends(file.goal_zone))
            lost = (high - low) * draws[f"goal_zone.shrink_{axis}"]
            begin = low + lost * draws[f"goal_zone.place_{axis}"]
            assert variant.goal_zone.min_mm[index] == pytest.approx(begin, abs=6e-4)
            assert variant.goal_zone.max_mm[index] == pytest.approx(begin + high - low - lost, abs=6e-4)
            start = factor * (file.all_payloads[0].start_mm[index] + draws[f"start_{axis}"])
            assert variant.payload.start_mm[index] == pytest.approx(start, abs=6e-4)
