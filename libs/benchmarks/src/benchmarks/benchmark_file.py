"""A benchmark as it is written down, and the worlds that its seeds make of it."""

from collections.abc import Mapping
from random import Random
from typing import Annotated, Literal, Self

from contracts.model import Model
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Limits, Payload, Variant, Zone
from contracts.models.geometry import Box, Vector
from contracts.models.label import Label
from pydantic import ConfigDict, Field, NonNegativeFloat, PositiveFloat, StringConstraints, model_validator

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Axis = Literal["x", "y"]
_AXES = "xyz"
_PRECISION = 3
"""Decimals of a drawn millimetre: a micrometre is more than any workshop holds."""


class _Strict(Model):
    """People write this by hand: a field that nobody knows is a typo."""

    model_config = ConfigDict(extra="forbid")


class FileBox(_Strict, Box):
    """An axis-aligned box as written in the file, in millimetres."""


class FileZone(_Strict):
    """A named region as written in the file."""

    label: Label
    box: FileBox


class FilePayload(_Strict, Payload):
    """The payload as written in the file."""


class FileLimits(_Strict, Limits):
    """The limits as written in the file."""


class ScaleRange(_Strict):
    """How much the world may be stretched along one axis."""

    low: PositiveFloat = 1.0
    high: PositiveFloat = 1.0

    @model_validator(mode="after")
    def _is_a_range_within_twofold(self) -> Self:
        if not self.low <= self.high <= 2 * self.low:
            raise ValueError(f"low <= high <= 2 low must hold, but low is {self.low:g} and high {self.high:g}")
        return self


class Randomisation(_Strict):
    """What a seed may change. The defaults change nothing."""

    scale_x: ScaleRange = ScaleRange()
    scale_y: ScaleRange = ScaleRange()
    scale_z: ScaleRange = ScaleRange()
    shrink_up_to: Annotated[float, Field(ge=0.0, le=0.4)] = 0.0
    """Share of its size that a goal or forbid zone may lose along each axis; it then lies anywhere where it was."""
    start_spread_mm: tuple[NonNegativeFloat, NonNegativeFloat, NonNegativeFloat] = (0.0, 0.0, 0.0)
    """How far the payload's start may lie from its nominal place along each axis, before the world is stretched."""
    mirror: tuple[Axis, ...] = ()
    """Axes along which a coin decides whether the world is mirrored at the origin."""

    @property
    def scales(self) -> tuple[ScaleRange, ScaleRange, ScaleRange]:
        """The range of each axis."""
        return (self.scale_x, self.scale_y, self.scale_z)


class BenchmarkFile(_Strict):
    """`benchmark.yaml`: the nominal world and how it may vary. All boxes hold before the world is stretched."""

    name: Label
    title: Words
    description: Words
    """Plain words for the agent, Markdown. True for every seed."""
    level: Literal[1, 2, 3]
    bounds: FileBox
    build_zone: FileBox
    goal_zone: FileBox
    forbid_zones: tuple[FileZone, ...] = ()
    payload: FilePayload
    limits: FileLimits = FileLimits()
    hold_s: NonNegativeFloat = 1.0
    duration_s: PositiveFloat = 10.0
    randomisation: Randomisation = Randomisation()

    @model_validator(mode="after")
    def _build_zone_holds_the_goal(self) -> Self:
        if not self.build_zone.contains(self.goal_zone):
            raise ValueError("goal_zone must lie inside build_zone, or nothing could be built there")
        return self

    @model_validator(mode="after")
    def _mirrored_world_is_the_same_world(self) -> Self:
        for axis in self.randomisation.mirror:
            index = _AXES.index(axis)
            if abs(self.bounds.min_mm[index] + self.bounds.max_mm[index]) > 1e-6:
                raise ValueError(f"randomisation.mirror names {axis}, so bounds must lie symmetric along {axis}")
        return self

    @model_validator(mode="after")
    def _start_stays_clear_of_goal_and_forbid_zones(self) -> Self:
        reach = _grown(self.payload.box, self.randomisation.start_spread_mm)
        if not self.bounds.contains(reach):
            raise ValueError("the payload's start, with start_spread_mm, must lie inside bounds")
        zones = {"goal_zone": self.goal_zone} | {zone.label: zone.box for zone in self.forbid_zones}
        for name, box in zones.items():
            if _overlap(reach, box):
                raise ValueError(f"the payload's start, with start_spread_mm, must not reach into {name}")
            if name != "goal_zone" and _overlap(self.goal_zone, box):
                raise ValueError(f"{name} must not reach into goal_zone")
        return self


def read_benchmark(content: Mapping[str, object]) -> BenchmarkFile:
    """Return the benchmark in a parsed benchmark.yaml; raise pydantic's `ValidationError` if it is none."""
    return BenchmarkFile.model_validate(content)


def vary(file: BenchmarkFile, seed: int, environment_code: ArtifactRef) -> Variant:
    """Return the world that a seed makes of a benchmark: the same for the same seed, on any machine.

    Seed by seed the world is stretched along each axis and mirrored, goal and forbid zones shrink and move inside where
    they were, and the payload starts a little elsewhere. The payload's size and the limits stay.
    """
    random = Random(seed)  # noqa: S311 - variety, not secrecy
    factors = _draw_factors(file.randomisation, random)
    goal_zone = _draw_inside(_stretched(file.goal_zone, factors), file.randomisation.shrink_up_to, random)
    forbid_zones = tuple(
        Zone(
            label=zone.label,
            box=_draw_inside(_stretched(zone.box, factors), file.randomisation.shrink_up_to, random),
        )
        for zone in file.forbid_zones
    )
    return Variant(
        benchmark=file.name,
        title=file.title,
        description=file.description,
        seed=seed,
        level=file.level,
        bounds=_stretched(file.bounds, factors),
        build_zone=_stretched(file.build_zone, factors),
        goal_zone=goal_zone,
        forbid_zones=forbid_zones,
        payload=_draw_payload(file, factors, random),
        hold_s=file.hold_s,
        duration_s=file.duration_s,
        environment_code=environment_code,
    )


def _draw_factors(randomisation: Randomisation, random: Random) -> Vector:
    """Return the factor of each axis; negative where the world is mirrored."""
    factors: list[float] = []
    for axis, scale in zip(_AXES, randomisation.scales, strict=True):
        factor = random.uniform(scale.low, scale.high)
        is_mirrored = random.random() < 0.5 and axis in randomisation.mirror
        factors.append(-factor if is_mirrored else factor)
    x, y, z = factors
    return (x, y, z)


def _draw_payload(file: BenchmarkFile, factors: Vector, random: Random) -> Payload:
    nominal = file.payload
    places = [
        round(factor * (place + random.uniform(-spread, spread)), _PRECISION)
        for place, spread, factor in zip(nominal.start_mm, file.randomisation.start_spread_mm, factors, strict=True)
    ]
    x, y, z = places
    return Payload.model_validate({**nominal.model_dump(), "start_mm": (x, y, z)})


def _draw_inside(box: Box, shrink_up_to: float, random: Random) -> Box:
    """Return a smaller box somewhere inside."""
    lows: list[float] = []
    highs: list[float] = []
    for low, size in zip(box.min_mm, box.size_mm, strict=True):
        lost = size * random.uniform(0.0, shrink_up_to)
        begin = low + lost * random.random()
        lows.append(round(begin, _PRECISION))
        highs.append(round(begin + size - lost, _PRECISION))
    return _box(lows, highs)


def _stretched(box: Box, factors: Vector) -> Box:
    ends = [
        sorted((round(low * factor, _PRECISION), round(high * factor, _PRECISION)))
        for low, high, factor in zip(box.min_mm, box.max_mm, factors, strict=True)
    ]
    return _box([low for low, _ in ends], [high for _, high in ends])


def _grown(box: Box, by_mm: Vector) -> Box:
    return _box(
        [low - by for low, by in zip(box.min_mm, by_mm, strict=True)],
        [high + by for high, by in zip(box.max_mm, by_mm, strict=True)],
    )


def _box(lows: list[float], highs: list[float]) -> Box:
    x0, y0, z0 = lows
    x1, y1, z1 = highs
    return Box(min_mm=(x0, y0, z0), max_mm=(x1, y1, z1))


def _overlap(one: Box, other: Box) -> bool:
    return all(
        low < other_high and other_low < high
        for low, high, other_low, other_high in zip(one.min_mm, one.max_mm, other.min_mm, other.max_mm, strict=True)
    )
