"""How seeds vary the world of a benchmark."""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, NonNegativeFloat, PositiveFloat, model_validator

from benchmarks.file_model import Axis, FileModel, NonEmptyText

FULL_RANGE = (0.5, 2.0)
"""Of the scale of each axis."""
MOST_SHRINKING = 0.4


def _for_each_axis(value: object) -> object:
    """Return one number as three."""
    return (value, value, value) if isinstance(value, int | float) else value


Share = Annotated[float, Field(ge=0.0, le=MOST_SHRINKING)]
Shares = Annotated[
    tuple[Share, Share, Share],
    BeforeValidator(_for_each_axis, json_schema_input_type=Share | tuple[Share, Share, Share]),
]
"""One number for all axes, or one for each."""
Spread = tuple[NonNegativeFloat, NonNegativeFloat, NonNegativeFloat]
Scale = Annotated[float, Field(ge=FULL_RANGE[0], le=FULL_RANGE[1])]


class FactorRange(FileModel):
    """Range of a factor."""

    low: PositiveFloat = 1.0
    high: PositiveFloat = 1.0

    @model_validator(mode="after")
    def _require_order(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low must not be above high, but low is {self.low:g} and high {self.high:g}")
        return self


class ScaleRange(FactorRange):
    """Range of the scale factor along one axis."""

    low: Scale = 1.0
    high: Scale = 1.0


class Randomisation(FileModel):
    """Ranges within which a seed varies the world. The defaults vary nothing."""

    scale_x: ScaleRange = ScaleRange()
    scale_y: ScaleRange = ScaleRange()
    scale_z: ScaleRange = ScaleRange()
    distribution: Literal["log_uniform", "uniform"] = "log_uniform"
    """Of the scales: by default doubling is as likely as halving."""
    reason: NonEmptyText | None = None
    """Why the scales do not use the full range of 0.5 to 2."""
    shrink_up_to: Shares = (0.0, 0.0, 0.0)
    """Share of its size that a goal zone, forbid zone or obstacle may lose along each axis; it stays within its nominal
    box."""
    start_spread_mm: Spread = (0.0, 0.0, 0.0)
    """Maximum distance of the payload's start from its nominal position along each axis, before scaling."""
    payload_size: FactorRange = FactorRange()
    """Factor of all measures of the payload, which the scales leave alone unless `payload_shrinks`."""
    payload_shrinks: bool = False
    """Whether the smallest scale, where it is below 1, multiplies the payload's measures: a narrower way, a smaller
    payload."""
    mirror: tuple[Axis, ...] = ()
    """Axes along which the world may be mirrored at the origin, with probability one half."""

    @property
    def scales(self) -> tuple[ScaleRange, ScaleRange, ScaleRange]:
        """The ranges along x, y and z."""
        return (self.scale_x, self.scale_y, self.scale_z)

    @property
    def is_full(self) -> bool:
        """Whether all axes have the full range of scales and of shrinking."""
        return {(scale.low, scale.high) for scale in self.scales} == {FULL_RANGE} and set(self.shrink_up_to) == {
            MOST_SHRINKING
        }

    @property
    def text(self) -> str:
        """The ranges of scales and shrinking in words, with the reason where they are not full."""
        scales = ", ".join(
            f"{axis} {scale.low:g} to {scale.high:g}" for axis, scale in zip("xyz", self.scales, strict=True)
        )
        shrink = ", ".join(f"{share:g}" for share in dict.fromkeys(self.shrink_up_to))
        reason = "" if self.is_full else f"; not the full range: {self.reason or 'without a reason'}"
        return f"scales {scales}; zones shrink by up to {shrink}{reason}"
