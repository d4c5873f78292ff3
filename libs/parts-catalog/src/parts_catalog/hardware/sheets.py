"""What is known of a motor, a fastener, a bearing and of glue.

Every row says where its figures come from and how far they can be trusted. The words of `confidence`: "sourced" is the
maker's document, "standard" follows from a standard, "conflicting" means that sellers disagree, "estimate" is ours.
"""

from typing import Annotated, Literal

from contracts.model import Model
from contracts.models.geometry import Vector
from contracts.models.mechanism import CatalogId
from pydantic import Field, NonNegativeFloat, PositiveFloat

Mode = Literal["voltage", "position"]
JointKind = Literal["revolute", "linear", "cylindrical", "ball"]


class Bought(Model):
    """What every row says."""

    id: CatalogId
    what: str
    """In words."""
    mass_kg: PositiveFloat
    price_usd: NonNegativeFloat
    source: str
    confidence: str


class Housing(Model):
    """The body of a motor in its own frame: +z is the axis of its shaft, which leaves the housing at the origin.

    The shaft itself is no part of it: what the motor drives turns about that axis.
    """

    shape: Literal["cylinder", "box"]
    size_mm: Vector
    """Full edge lengths; of a cylinder both diameters and the length along z."""
    center_mm: Vector


class MotorSheet(Bought):
    """A motor by its data sheet. Torques and speeds are those of its output shaft."""

    modes: Annotated[tuple[Mode, ...], Field(min_length=1)]
    """What it can be told: a share of its voltage, a position, or both where it has an encoder."""
    nominal_voltage_v: PositiveFloat
    stall_torque_n_m: PositiveFloat
    no_load_speed_rad_s: PositiveFloat
    stall_current_a: PositiveFloat
    no_load_current_a: NonNegativeFloat
    continuous_torque_n_m: PositiveFloat
    thermal_limit_s: PositiveFloat
    """How long it may give more than its continuous torque without a break."""
    armature_kg_m2: NonNegativeFloat
    """Inertia of rotor and gearbox, seen from the output shaft."""
    housing: Housing


class Fastener(Bought):
    """A screw with its hole and its thread."""

    diameter_mm: PositiveFloat
    length_mm: PositiveFloat
    """Under the head."""
    tensile_n: PositiveFloat
    """What it holds along its axis."""
    shear_n: PositiveFloat
    """What it holds across."""


class Bearing(Bought):
    """What carries a joint."""

    kinds: Annotated[tuple[JointKind, ...], Field(min_length=1)]
    """The joints that it can carry."""
    max_force_n: PositiveFloat
    max_moment_n_m: PositiveFloat | None
    """Across the axis; None where it bears none by its nature."""
    friction_torque_n_m: NonNegativeFloat
    friction_force_n: NonNegativeFloat


class Adhesive(Model):
    """The glue of every bond."""

    id: CatalogId
    what: str
    shear_mpa: PositiveFloat
    """What a glued face holds in any direction, N/mm²."""
    price_usd: NonNegativeFloat
    """Of one bond: to clean, to apply, to wait."""
    price_usd_per_cm2: NonNegativeFloat
    mass_kg_per_cm2: NonNegativeFloat
    source: str
    confidence: str
