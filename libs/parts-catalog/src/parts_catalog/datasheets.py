"""Data sheets of motors, fasteners, bearings and glue: the ratings that design rules and physics use.

Each sheet states the source of its figures and, in `confidence`, how far each can be trusted: "sourced" is the maker's
document, "standard" follows from a standard, "typical" is common to most makers, "computed" is measured on geometry,
"conflicting" means that sellers disagree, and "estimate" is ours.
"""

from typing import Annotated, Literal

from contracts.model import Model
from contracts.models.geometry import Vector
from contracts.models.mechanism import CatalogId
from pydantic import Field, NonNegativeFloat, PositiveFloat

Mode = Literal["voltage", "position"]
JointKind = Literal["revolute", "linear", "cylindrical", "ball"]


class Datasheet(Model):
    """Fields of every bought part's data sheet."""

    id: CatalogId
    name: str
    mass_kg: PositiveFloat
    price_usd: NonNegativeFloat
    source: str
    confidence: str


class Housing(Model):
    """The body of a motor in its own frame: +z is the axis of its shaft, which leaves the housing at the origin.

    The shaft is not part of it: the driven part turns about that axis.
    """

    shape: Literal["cylinder", "box"]
    size_mm: Vector
    """Full edge lengths; of a cylinder both diameters and the length along z."""
    center_mm: Vector


class Lugs(Model):
    """Ears at both ends of a servo's housing, as wide as that, by which it is screwed on."""

    length_mm: PositiveFloat
    """From tip to tip."""
    thickness_mm: PositiveFloat
    foot_mm: PositiveFloat
    """From the bottom of the housing to their lower side."""
    hole_mm: PositiveFloat
    holes_mm: tuple[tuple[float, float], ...]
    """Places of their holes, x and y from the middle of the housing."""


class Front(Model):
    """What a motor has at the face that its shaft leaves, and its lugs, which the judge's housing leaves out."""

    shaft_length_mm: PositiveFloat
    """Beyond the face."""
    boss_mm: tuple[PositiveFloat, PositiveFloat] | None = None
    """Diameter and height of the pilot boss around the shaft."""
    thread_mm: PositiveFloat = 3.0
    """Of the screws that its mounting holes take."""
    hole_depth_mm: PositiveFloat = 3.0
    holes_mm: tuple[tuple[float, float], ...] = ()
    """Places of the tapped mounting holes, x and y from the shaft."""
    lugs: Lugs | None = None
    note: str = ""
    """How far its figures can be trusted."""


class MotorSheet(Datasheet):
    """A motor's ratings. Torques and speeds are those of its output shaft."""

    modes: Annotated[tuple[Mode, ...], Field(min_length=1)]
    """How it can be controlled: by a share of its voltage, by position, or both if it has an encoder."""
    nominal_voltage_v: PositiveFloat
    stall_torque_n_m: PositiveFloat
    no_load_speed_rad_s: PositiveFloat
    stall_current_a: PositiveFloat
    no_load_current_a: NonNegativeFloat
    continuous_torque_n_m: PositiveFloat
    thermal_limit_s: PositiveFloat
    """How long it may exceed its continuous torque without a break."""
    armature_kg_m2: NonNegativeFloat
    """Inertia of rotor and gearbox, seen from the output shaft."""
    housing: Housing
    shaft_mm: PositiveFloat
    """Diameter of its shaft."""
    shaft_mpa: PositiveFloat
    """Tensile stress that its shaft may bear."""
    encoder_counts_per_turn: PositiveFloat | None = None
    """Edges of both signals of its encoder over one turn of the output shaft. None: it has none, or only inside."""
    front: Front | None = None
    """None: its maker's drawing was not at hand."""
    range_deg: PositiveFloat | None = None
    """How far its shaft can turn from end to end. None: without end, or unknown for a motor with `turns_in_range`."""

    @property
    def turns_in_range(self) -> bool:
        """Whether its shaft has two ends: a servo's, which knows positions only. Gear motors turn without end."""
        return self.modes == ("position",)


class Fastener(Datasheet):
    """A screw in its hole and thread."""

    diameter_mm: PositiveFloat
    length_mm: PositiveFloat
    """Under the head."""
    head_diameter_mm: PositiveFloat
    """Across its corners."""
    head_height_mm: NonNegativeFloat
    """Above the face that it clamps; 0 for a countersunk head, which lies in the part."""
    tensile_n: PositiveFloat
    """Strength along its axis."""
    shear_n: PositiveFloat
    """Strength across its axis."""


class Bearing(Datasheet):
    """A bearing of a joint."""

    kinds: Annotated[tuple[JointKind, ...], Field(min_length=1)]
    """The joints that it can carry."""
    max_force_n: PositiveFloat
    max_moment_n_m: PositiveFloat | None
    """Across the axis; None if the bearing gives way to moments by its nature."""
    friction_torque_n_m: NonNegativeFloat
    """Without load."""
    friction_force_n: NonNegativeFloat
    """Without load."""
    friction_coefficient: NonNegativeFloat
    """Friction over the forces that press in it."""
    friction_radius_mm: NonNegativeFloat
    """Distance from the axis at which they rub."""


class Adhesive(Model):
    """The glue of every bond."""

    id: CatalogId
    name: str
    shear_mpa: PositiveFloat
    """Strength of a glued face in any direction, N/mm²."""
    price_usd: NonNegativeFloat
    """Per bond: cleaning, application and curing."""
    price_usd_per_cm2: NonNegativeFloat
    mass_kg_per_cm2: NonNegativeFloat
    source: str
    confidence: str
