"""Joints, connections, motors and couplings of a design or an environment, given by labels at the initial pose."""

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, FiniteFloat, NonNegativeFloat, PositiveFloat, StringConstraints, model_validator

from contracts.model import Model
from contracts.models.geometry import Vector
from contracts.models.label import PartLabel

CatalogId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
"""Id of a bought part in the catalog."""
Share = Annotated[float, Field(ge=-1.0, le=1.0)]
"""Share of a motor's nominal voltage; a negative one reverses the motor."""
Range = tuple[FiniteFloat, FiniteFloat]
"""Minimum and maximum, relative to the initial pose, which is 0."""


def _is_none(value: object) -> bool:
    """Tell whether a field that came later is absent: it is then left out, so that older digests stay valid."""
    return value is None


class Constant(Model):
    """A constant share of the nominal voltage."""

    kind: Literal["constant"] = "constant"
    share: Share


class Steps(Model):
    """Shares of the nominal voltage, each from its time; 0 before the first time."""

    kind: Literal["steps"] = "steps"
    times_s: Annotated[tuple[NonNegativeFloat, ...], Field(min_length=1, max_length=200)]
    shares: Annotated[tuple[Share, ...], Field(min_length=1, max_length=200)]

    @model_validator(mode="after")
    def _require_matching_rising_times(self) -> Self:
        _require_rising(self.times_s, len(self.shares))
        return self


class Oscillation(Model):
    """A sinusoidal target, in degrees for a joint that turns and in millimetres for one that slides."""

    kind: Literal["oscillation"] = "oscillation"
    mean: FiniteFloat = 0.0
    amplitude: PositiveFloat
    frequency_hz: PositiveFloat
    phase_deg: FiniteFloat = 0.0


class Positions(Model):
    """Targets with linear interpolation between them, starting from 0 at 0 s; the last target is held.

    In degrees for a joint that turns and in millimetres for one that slides, relative to the initial pose.
    """

    kind: Literal["positions"] = "positions"
    times_s: Annotated[tuple[NonNegativeFloat, ...], Field(min_length=1, max_length=200)]
    targets: Annotated[tuple[FiniteFloat, ...], Field(min_length=1, max_length=200)]

    @model_validator(mode="after")
    def _require_matching_rising_times(self) -> Self:
        _require_rising(self.times_s, len(self.targets))
        return self


Control = Annotated[Constant | Steps | Oscillation | Positions, Field(discriminator="kind")]
"""The program of a motor: voltages for one without a position sensor, targets for a servo."""


class Joint(Model):
    """Two parts that move relative to each other. Their submitted pose is 0."""

    label: PartLabel
    kind: Literal["revolute", "linear", "cylindrical", "ball"]
    parent: PartLabel
    """The body that carries the axis; of the design or of the environment."""
    child: PartLabel
    """The body that turns or slides."""
    anchor_mm: Vector
    """A point on the axis, or the centre of a ball joint, in world coordinates."""
    axis: Vector = (0.0, 0.0, 1.0)
    """Unit vector in world coordinates; the child turns about it, right-handed, or slides along it."""
    angle_range_deg: Range | None = None
    """None: no limit."""
    travel_range_mm: Range | None = None
    """None: no limit."""
    bearing_id: CatalogId | None = None
    """The bearing. None: the plain bearing of this kind of joint."""


class Connection(Model):
    """Two bodies that are glued or screwed together."""

    first: PartLabel
    second: PartLabel
    """`first` and `second` are labels of bodies in the design or the environment."""
    means: Literal["bonded", "fastened"]
    fastener_id: CatalogId | None = None
    places_mm: Annotated[tuple[Vector, ...], Field(max_length=64)] = ()
    """Positions of the fasteners' heads, one per fastener."""
    directions: Annotated[tuple[Vector, ...], Field(max_length=64)] = ()
    """Unit vectors from each head into the material."""


class Motor(Model):
    """A bought motor that drives a joint. Its housing is a separate part, attached to either side of the joint."""

    part: PartLabel
    """Label of the housing."""
    joint: PartLabel
    control: Control
    pinion: PartLabel | None = Field(default=None, exclude_if=_is_none)
    """Label of the wheel on its shaft, if the joint slides; its radius is measured."""
    rack: PartLabel | None = Field(default=None, exclude_if=_is_none)
    """Label of the part whose straight side the pinion climbs, on the other side of the joint."""
    pinion_radius_mm: PositiveFloat | None = None
    """Of a benchmark's own motor on a slide, whose pinion and rack are not modelled. A design names its parts."""


class Coupling(Model):
    """Two joints coupled by meshing gears or a rack: second = ratio x first, in degrees and millimetres."""

    kind: Literal["gear", "rack"]
    first: PartLabel
    second: PartLabel
    ratio: FiniteFloat
    """Gears: the negative of first teeth divided by second teeth. Rack: millimetres per degree."""


class Mechanism(Model):
    """All joints, connections, motors and couplings of a design or an environment."""

    joints: tuple[Joint, ...] = ()
    connections: tuple[Connection, ...] = ()
    motors: tuple[Motor, ...] = ()
    couplings: tuple[Coupling, ...] = ()


def _require_rising(times_s: tuple[float, ...], values: int) -> None:
    if len(times_s) != values:
        raise ValueError(
            f"times_s has {len(times_s)} entries, but there are {values} values; give one value for each time"
        )
    if any(later <= earlier for earlier, later in pairwise(times_s)):
        raise ValueError("times_s must rise")
