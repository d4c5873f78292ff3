"""Random benchmark files, and what every variant of every file promises."""

from random import Random
from typing import Any

from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.consistency import faults_of
from benchmarks.loader import CODE_TYPE
from benchmarks.variant import NoValidWorldError, make_variant
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Variant, binding
from contracts.models.geometry import Box

CODE = ArtifactRef(sha256="0" * 64, media_type=CODE_TYPE, size_bytes=0)
ROUNDING_MM = 2e-3
"""Drawn lengths are rounded to a micrometre."""
SHAPES: tuple[dict[str, Any], ...] = (
    {"shape": "ball", "size_mm": 40},
    {"shape": "cube", "size_mm": 30},
    {"shape": "box", "edges_mm": [60, 40, 20]},
    {"shape": "cylinder", "size_mm": 30, "length_mm": 50},
    {"shape": "capsule", "size_mm": 20, "length_mm": 60},
    {"shape": "solid", "edges_mm": [40, 30, 24]},
)


def random_file(random: Random) -> BenchmarkFile:
    """Return a valid file of the full randomisation, with zones, obstacles and a payload anywhere."""
    while True:
        file = BenchmarkFile.model_validate(_content(random))
        if not faults_of(file):
            return file


def _content(random: Random) -> dict[str, Any]:
    half = [random.uniform(300, 600), random.uniform(200, 500)]
    height = random.uniform(300, 700)
    bounds = {"min_mm": [-half[0], -half[1], -20], "max_mm": [half[0], half[1], height]}

    def box() -> dict[str, list[float]]:
        ends = [sorted(random.uniform(low, high) for _ in "ab") for low, high in zip(*bounds.values(), strict=True)]
        return {"min_mm": [low for low, _ in ends], "max_mm": [high + 1 for _, high in ends]}

    def named(kind: str, most: int) -> list[dict[str, Any]]:
        return [{"label": f"{kind}-{number}", "box": _shrunk(box(), 0.5)} for number in range(random.randint(0, most))]

    start = [random.uniform(-each, each) * 0.8 for each in half]
    return {
        "name": "random",
        "title": "Random",
        "description": "Anything.",
        "level": 1,
        "bounds": bounds,
        "build_zone": _shrunk(bounds, 0.9),
        "goal_zone": _shrunk(box(), 0.6),
        "forbid_zones": [{**zone, "binds": random.choice(["parts", "payload", "both"])} for zone in named("forbid", 3)],
        "obstacles": named("block", 2),
        "payload": {
            **random.choice(SHAPES),
            "material_id": "pom",
            "start_mm": [*start, random.uniform(0, height * 0.8)],
            "start_at": random.choice(["centre", "bottom"]),
            "start_rotation_deg": [random.choice([0, 30, 90]), 0, random.choice([0, 45])],
        },
        "replica_jitter_share": 0.1,
        "randomisation": {
            **{f"scale_{axis}": {"low": 0.5, "high": 2.0} for axis in "xyz"},
            "shrink_up_to": random.choice([0.4, [0.4, 0.2, 0.0]]),
            "start_spread_mm": [20, 20, 5],
            "payload_size": {"low": 0.8, "high": 1.25},
            "mirror": random.choice([[], ["x"], ["x", "y"]]),
        },
    }


def _shrunk(box: dict[str, list[float]], by: float) -> dict[str, list[float]]:
    middle = [(low + high) / 2 for low, high in zip(box["min_mm"], box["max_mm"], strict=True)]
    return {end: [at + by * (each - at) for at, each in zip(middle, box[end], strict=True)] for end in box}


def variant_or_none(file: BenchmarkFile, seed: int) -> Variant | None:
    """Return the variant of a seed; None if it drew no valid world."""
    try:
        return make_variant(file, seed, CODE)
    except NoValidWorldError:
        return None


def broken_promises(file: BenchmarkFile, variant: Variant) -> list[str]:
    """Return what a variant of a file breaks: its original bounds, its distances, or its own draws."""
    draws = {draw.name: draw.value for draw in variant.draws}
    factors = [draws[f"scale_{axis}"] * (-1 if draws[f"mirror_{axis}"] else 1) for axis in "xyz"]
    pairs = [("goal_zone", file.goal_zone, variant.goal_zone)]
    for nominal, drawn in ((file.forbid_zones, variant.forbid_zones), (file.obstacles, variant.obstacles)):
        pairs += [(old.label, old.box, new.box) for old, new in zip(nominal, drawn, strict=True)]
    broken = [name for name, old, new in pairs if not _is_shrunk(scaled(old, factors), new)]
    for name, old, new in (
        ("bounds", file.bounds, variant.bounds),
        ("build_zone", file.build_zone, variant.build_zone),
    ):
        broken += [name] if not _is_same(scaled(old, factors), new) else []
    broken += [axis for axis, factor in zip("xyz", factors, strict=True) if not 0.5 <= abs(factor) <= 2.0]
    if not 0.0 <= variant.redraws < 50:
        broken.append("redraws")
    return broken + _overlaps(variant)


def _overlaps(variant: Variant) -> list[str]:
    start, goal = variant.payload.box, variant.goal_zone
    forbids = {zone.label: zone.box for zone in binding(variant.forbid_zones, "payload")}
    solid = forbids | {each.label: each.box for each in variant.obstacles}
    broken = [f"start in {name}" for name, box in {**solid, "goal": goal}.items() if overlap(start, box)]
    broken += [f"goal in {name}" for name, box in solid.items() if overlap(goal, box)]
    return broken + ([] if variant.bounds.contains(start) else ["start outside bounds"])


def scaled(box: Box, factors: list[float]) -> Box:
    """Return a box with its corners times a factor for each axis, which may be negative."""
    ends = [sorted((low * by, high * by)) for low, high, by in zip(box.min_mm, box.max_mm, factors, strict=True)]
    (x0, x1), (y0, y1), (z0, z1) = ends
    return Box(min_mm=(x0, y0, z0), max_mm=(x1, y1, z1))


def overlap(one: Box, other: Box) -> bool:
    """Tell whether two boxes have a common volume."""
    ends = zip(one.min_mm, one.max_mm, other.min_mm, other.max_mm, strict=True)
    return all(low < other_high and other_low < high for low, high, other_low, other_high in ends)


def _is_shrunk(most: Box, box: Box) -> bool:
    sizes = zip(box.size_mm, most.size_mm, strict=True)
    return most.contains(box, ROUNDING_MM) and all(new >= 0.6 * old - ROUNDING_MM for new, old in sizes)


def _is_same(one: Box, other: Box) -> bool:
    return one.contains(other, ROUNDING_MM) and other.contains(one, ROUNDING_MM)
