"""How bodies hang together and what moves them, as a script says it: labels and numbers, at the initial pose."""

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, FiniteFloat, NonNegativeFloat, PositiveFloat, StringConstraints, model_validator

from contracts.model import Model
from contracts.models.geometry import Vector
from contracts.models.label import Label

CatalogId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
"""Of a motor, fastener or bearing that is bought."""
Share = Annotated[float, Field(ge=-1.0, le=1.0)]
"""Of a motor's nominal voltage; negative turns it backwards."""
Range = tuple[FiniteFloat, FiniteFloat]
"""Lowest and highest, seen from the initial pose, which is 0."""


class Constant(Model):
    """A fixed share of the nominal voltage."""

    kind: Literal["constant"] = "constant"
    share: Share


class Steps(Model):
    """Shares of the nominal voltage, each from its time on; 0 before the first."""

    kind: Literal["steps"] = "steps"
    times_s: Annotated[tuple[NonNegativeFloat, ...], Field(min_length=1, max_length=200)]
    shares: Annotated[tuple[Share, ...], Field(min_length=1, max_length=200)]

    @model_validator(mode="after")
    def _is_a_table(self) -> Self:
        _must_rise(self.times_s, len(self.shares))
        return self


class Oscillation(Model):
    """A target that swings as a sine; degrees for a joint that turns, millimetres for one that slides."""

    kind: Literal["oscillation"] = "oscillation"
    mean: FiniteFloat = 0.0
    amplitude: PositiveFloat
    frequency_hz: PositiveFloat
    phase_deg: FiniteFloat = 0.0


class Positions(Model):
    """Targets reached one after the other, on straight lines between them, and held after the last; 0 at 0 s.

    Degrees for a joint that turns, millimetres for one that slides, measured from the initial pose.
    """

    kind: Literal["positions"] = "positions"
    times_s: Annotated[tuple[NonNegativeFloat, ...], Field(min_length=1, max_length=200)]
    targets: Annotated[tuple[FiniteFloat, ...], Field(min_length=1, max_length=200)]

    @model_validator(mode="after")
    def _is_a_table(self) -> Self:
        _must_rise(self.times_s, len(self.targets))
        return self


Control = Annotated[Constant | Steps | Oscillation | Positions, Field(discriminator="kind")]
"""What a motor is told to do: voltages for one without a position sensor, targets for a servo."""


class Joint(Model):
    """Two parts that move against each other. The pose in which they were handed over is 0."""

    label: Label
    kind: Literal["revolute", "linear", "cylindrical", "ball"]
    parent: Label
    """The body that carries the axis; of the design or of the environment."""
    child: Label
    """The body that turns or slides."""
    anchor_mm: Vector
    """A point of the axis, or the middle of a ball joint, in the world."""
    axis: Vector = (0.0, 0.0, 1.0)
    """Unit vector in the world; the child turns about it or slides along it, right-handed."""
    angle_range_deg: Range | None = None
    """None turns freely."""
    travel_range_mm: Range | None = None
    """None slides freely."""
    bearing_id: CatalogId | None = None
    """What carries it; None is the plain bearing of its kind."""


class Connection(Model):
    """Two bodies that are made one: glued, or held by fasteners."""

    first: Label
    second: Label
    """Of the design or of the environment."""
    means: Literal["bonded", "fastened"]
    fastener_id: CatalogId | None = None
    places_mm: Annotated[tuple[Vector, ...], Field(max_length=64)] = ()
    """Where the fasteners' heads sit, one for each."""
    directions: Annotated[tuple[Vector, ...], Field(max_length=64)] = ()
    """Unit vectors from each head into the material."""


class Motor(Model):
    """A bought motor that drives a joint. Its housing is a part of its own, joined to either side of the joint."""

    part: Label
    """The label of its housing."""
    joint: Label
    control: Control
    pinion_radius_mm: PositiveFloat | None = None
    """Of the pinion on a rack, where the joint slides."""


class Coupling(Model):
    """Two joints that meshing teeth or a rack bind together: second = ratio x first, in degrees and millimetres."""

    kind: Literal["gear", "rack"]
    first: Label
    second: Label
    ratio: FiniteFloat
    """Gears: minus teeth of the first over teeth of the second. Rack: millimetres per degree."""


class Mechanism(Model):
    """All that joins and moves the bodies of a design, or of an environment."""

    joints: tuple[Joint, ...] = ()
    connections: tuple[Connection, ...] = ()
    motors: tuple[Motor, ...] = ()
    couplings: tuple[Coupling, ...] = ()


def _must_rise(times_s: tuple[float, ...], values: int) -> None:
    if len(times_s) != values:
        raise ValueError(f"{len(times_s)} times need as many values, not {values}")
    if any(later <= earlier for earlier, later in pairwise(times_s)):
        raise ValueError("times_s must rise")
