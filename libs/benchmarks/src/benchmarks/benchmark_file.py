"""The format of benchmark.yaml: the nominal world of a benchmark, and how seeds may vary it."""

from typing import Annotated, Literal, Self

from contracts.model import Model
from contracts.models.benchmark import GoalRule, Limits, Payload
from contracts.models.geometry import Box
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
    """The content of benchmark.yaml. All boxes are nominal, before scaling.

    Whether its values fit each other is checked by `benchmarks.consistency`.
    """

    name: Label
    title: NonEmptyText
    description: NonEmptyText
    """The task in prose for the agent, as Markdown. Must be true for every seed."""
    units: Literal["mm"] = "mm"
    """Of all lengths. There is no other; a file that names it shows that its author thought of it."""
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
    supply_limit_w: PositiveFloat | None = None
    """Limit on the power of all motors of the machine together at any moment."""
    randomisation: Randomisation = Randomisation()
