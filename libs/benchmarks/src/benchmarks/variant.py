"""Variants: the worlds that seeds make of a benchmark."""

from random import Random

from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Payload, Variant, Zone
from contracts.models.geometry import Box, Vector, mirrored

from benchmarks.benchmark_file import BenchmarkFile, Randomisation

PRECISION = 3
"""Decimals of a drawn length in millimetres: a micrometre is finer than any workshop's precision."""


class _Extreme(Random):
    """Draws the end of every range: 0 the lower one, 1 the upper one."""

    def __init__(self, end: float) -> None:
        super().__init__(0)
        self._end = end

    def random(self) -> float:
        return self._end


def make_variant(file: BenchmarkFile, seed: int, environment_code: ArtifactRef) -> Variant:
    """Return the variant of a benchmark under a seed, the same on every machine.

    The seed scales the world along each axis, may mirror it, shrinks and moves goal and forbid zones within their
    nominal boxes, and moves the payload's start. The size of the payload and the limits do not change.
    """
    return _draw_variant(file, seed, environment_code, Random(seed))  # noqa: S311 - not used for security


def extreme_variants(file: BenchmarkFile, environment_code: ArtifactRef) -> dict[str, Variant]:
    """Return the smallest world, with the largest zones, and the largest world, with the smallest zones.

    No seed draws them, though one may come as close as it likes. They have the seed 0.
    """
    ends = {"smallest": 0.0, "largest": 1.0}
    return {name: _draw_variant(file, 0, environment_code, _Extreme(end)) for name, end in ends.items()}


def _draw_variant(file: BenchmarkFile, seed: int, environment_code: ArtifactRef, random: Random) -> Variant:
    factors = _draw_factors(file.randomisation, random)
    shrink_up_to = file.randomisation.shrink_up_to
    goal_zone = _draw_box_inside(_scaled(file.goal_zone, factors), shrink_up_to, random)
    forbid_zones = tuple(
        Zone(label=zone.label, box=_draw_box_inside(_scaled(zone.box, factors), shrink_up_to, random))
        for zone in file.forbid_zones
    )
    return Variant(
        benchmark=file.name,
        title=file.title,
        description=file.description,
        seed=seed,
        level=file.level,
        bounds=_scaled(file.bounds, factors),
        build_zone=_scaled(file.build_zone, factors),
        goal_zone=goal_zone,
        forbid_zones=forbid_zones,
        payload=_draw_payload(file, factors, random),
        hold_s=file.hold_s,
        goal_rule=file.goal_rule,
        duration_s=file.duration_s,
        supply_limit_w=file.supply_limit_w,
        environment_code=environment_code,
    )


def _draw_factors(randomisation: Randomisation, random: Random) -> Vector:
    """Return the scale factor of each axis, negative if the axis is mirrored."""
    factors: list[float] = []
    for axis, scale in zip("xyz", randomisation.scales, strict=True):
        factor = random.uniform(scale.low, scale.high)
        is_mirrored = random.random() < 0.5 and axis in randomisation.mirror
        factors.append(-factor if is_mirrored else factor)
    x, y, z = factors
    return (x, y, z)


def _draw_payload(file: BenchmarkFile, factors: Vector, random: Random) -> Payload:
    nominal = file.payload.nominal()
    x, y, z = (
        round(factor * (position + random.uniform(-spread, spread)), PRECISION)
        for position, spread, factor in zip(nominal.start_mm, file.randomisation.start_spread_mm, factors, strict=True)
    )
    signs = [-1.0 if factor < 0 else 1.0 for factor in factors]
    return nominal.model_copy(
        update={
            "start_mm": (x, y, z),
            "start_quaternion": mirrored(nominal.start_quaternion, signs),
            "start_velocity_mm_s": tuple(v * sign for v, sign in zip(nominal.start_velocity_mm_s, signs, strict=True)),
        }
    )


def _draw_box_inside(box: Box, shrink_up_to: float, random: Random) -> Box:
    """Return a smaller box at a random position inside a box."""
    lows: list[float] = []
    highs: list[float] = []
    for low, size in zip(box.min_mm, box.size_mm, strict=True):
        lost = size * random.uniform(0.0, shrink_up_to)
        begin = low + lost * random.random()
        lows.append(round(begin, PRECISION))
        highs.append(round(begin + size - lost, PRECISION))
    return _box(lows, highs)


def _scaled(box: Box, factors: Vector) -> Box:
    ends = [
        sorted((round(low * factor, PRECISION), round(high * factor, PRECISION)))
        for low, high, factor in zip(box.min_mm, box.max_mm, factors, strict=True)
    ]
    return _box([low for low, _ in ends], [high for _, high in ends])


def _box(lows: list[float], highs: list[float]) -> Box:
    x0, y0, z0 = lows
    x1, y1, z1 = highs
    return Box(min_mm=(x0, y0, z0), max_mm=(x1, y1, z1))
