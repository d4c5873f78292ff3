"""The format of benchmark.yaml: the nominal world of a benchmark, and how seeds may vary it."""

from typing import Annotated, Literal, Self

from contracts.model import Model
from contracts.models.benchmark import GoalRule, Limits, Payload
from contracts.models.geometry import Box, Vector, overhang
from contracts.models.label import Label
from pydantic import ConfigDict, Field, NonNegativeFloat, PositiveFloat, StringConstraints, model_validator

NonEmptyText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Axis = Literal["x", "y"]


class _FileModel(Model):
    """Base class of the format: an unknown field is an error, since people write these files by hand.

    It must be the last base class: pydantic takes `model_config` from the last one.
    """

    model_config = ConfigDict(extra="forbid")


class FileBox(Box, _FileModel):
    """An axis-aligned box in millimetres."""


class FileZone(_FileModel):
    """A named axis-aligned box."""

    label: Label
    box: FileBox


class FilePayload(Payload, _FileModel):
    """The payload."""


class FileLimits(Limits, _FileModel):
    """The limits on the machine."""


class ScaleRange(_FileModel):
    """Range of the scale factor along one axis."""

    low: PositiveFloat = 1.0
    high: PositiveFloat = 1.0

    @model_validator(mode="after")
    def _require_range_up_to_twofold(self) -> Self:
        if not self.low <= self.high <= 2 * self.low:
            raise ValueError(f"low <= high <= 2 low must hold, but low is {self.low:g} and high {self.high:g}")
        return self


class Randomisation(_FileModel):
    """Ranges within which a seed varies the world. The defaults vary nothing."""

    scale_x: ScaleRange = ScaleRange()
    scale_y: ScaleRange = ScaleRange()
    scale_z: ScaleRange = ScaleRange()
    shrink_up_to: Annotated[float, Field(ge=0.0, le=0.4)] = 0.0
    """Share of its size that a goal or forbid zone may lose along each axis; it stays within its nominal box."""
    start_spread_mm: tuple[NonNegativeFloat, NonNegativeFloat, NonNegativeFloat] = (0.0, 0.0, 0.0)
    """Maximum distance of the payload's start from its nominal position along each axis, before scaling."""
    mirror: tuple[Axis, ...] = ()
    """Axes along which the world may be mirrored at the origin, with probability one half."""

    @property
    def scales(self) -> tuple[ScaleRange, ScaleRange, ScaleRange]:
        """The ranges along x, y and z."""
        return (self.scale_x, self.scale_y, self.scale_z)


class BenchmarkFile(_FileModel):
    """The content of benchmark.yaml. All boxes are nominal, before scaling."""

    name: Label
    title: NonEmptyText
    description: NonEmptyText
    """The task in prose for the agent, as Markdown. Must be true for every seed."""
    level: Literal[1, 2, 3]
    bounds: FileBox
    build_zone: FileBox
    goal_zone: FileBox
    forbid_zones: tuple[FileZone, ...] = ()
    payload: FilePayload
    limits: FileLimits = FileLimits()
    hold_s: NonNegativeFloat = 1.0
    goal_rule: GoalRule = "touch"
    """What the payload must do for `hold_s`: touch the goal zone, be entirely inside it, or touch it at rest."""
    duration_s: PositiveFloat = 10.0
    randomisation: Randomisation = Randomisation()

    @model_validator(mode="after")
    def _require_goal_inside_build_zone(self) -> Self:
        if beyond := overhang(self.goal_zone, self.build_zone):
            raise ValueError(f"goal_zone must be inside build_zone, but {beyond}; move or shrink goal_zone")
        return self

    @model_validator(mode="after")
    def _require_symmetric_bounds_if_mirrored(self) -> Self:
        for axis in self.randomisation.mirror:
            low, high = self.bounds.min_mm["xyz".index(axis)], self.bounds.max_mm["xyz".index(axis)]
            if abs(low + high) > 1e-6:
                raise ValueError(
                    f"randomisation.mirror names {axis}, so bounds must be symmetric about {axis} = 0, but they run "
                    f"from {low:g} to {high:g} mm; change bounds, or remove {axis} from randomisation.mirror"
                )
        return self

    @model_validator(mode="after")
    def _require_separate_start_and_zones(self) -> Self:
        start = _grown(self.payload.box, self.randomisation.start_spread_mm)
        if beyond := overhang(start, self.bounds):
            raise ValueError(f"the payload's start with its spread must be inside bounds, but {beyond}; move the start")
        for name, box in {"goal_zone": self.goal_zone, **self._forbid_boxes()}.items():
            if depth_mm := _overlap_mm(start, box):
                raise ValueError(
                    f"the payload's start with its spread must not overlap {name}, but does by {depth_mm:g} mm; "
                    "move the start or the zone"
                )
        for name, box in self._forbid_boxes().items():
            if depth_mm := _overlap_mm(self.goal_zone, box):
                raise ValueError(f"{name} must not overlap goal_zone, but does by {depth_mm:g} mm; move one of them")
        return self

    def _forbid_boxes(self) -> dict[str, Box]:
        return {zone.label: zone.box for zone in self.forbid_zones}


def _grown(box: Box, by_mm: Vector) -> Box:
    x0, y0, z0 = (low - by for low, by in zip(box.min_mm, by_mm, strict=True))
    x1, y1, z1 = (high + by for high, by in zip(box.max_mm, by_mm, strict=True))
    return Box(min_mm=(x0, y0, z0), max_mm=(x1, y1, z1))


def _overlap_mm(one: Box, other: Box) -> float:
    """Return the smallest distance along an axis that would separate two boxes; 0 if they do not overlap."""
    depths = [
        min(high - other_low, other_high - low)
        for low, high, other_low, other_high in zip(one.min_mm, one.max_mm, other.min_mm, other.max_mm, strict=True)
    ]
    return max(0.0, min(depths))
