"""Parts that are bought: figures, interfaces, geometry recipes."""

from typing import Literal

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt

from contracts.model import Model
from contracts.models.geometry import Vector
from contracts.models.mechanism import CatalogId

Category = Literal[
    "motor",
    "fastener",
    "bearing",
    "gear",
    "shaft",
    "structural",
    "spring",
    "coupling",
    "transmission",
    "electrical",
    "misc",
]


RecipeModule = Literal[
    "plain", "bd_warehouse.fastener", "bd_warehouse.gear", "bd_warehouse.open_builds", "bd_warehouse.sprocket"
]
"""A library that makes the part, or `plain`: Box, Cylinder, Sphere, Ring and ShieldedBearing."""


Figure = bool | int | float | str
"""A number, with its unit in its name, or a word."""


class Recipe(Model):
    """How the geometry of a part is made."""

    module: RecipeModule
    class_name: str
    args: dict[str, Figure] = Field(default={})
    """As the class takes them; lengths in mm."""
    bore_mm: PositiveFloat | None = None
    """A hole of this diameter is drilled through the middle, along z."""
    center_mm: Vector = (0.0, 0.0, 0.0)
    """Where the shape's own origin is put."""
    is_exact: bool = True
    """False for a plain body that has the size of the part and not its form."""


class MotorFigures(Model):
    """What a motor does, at its output shaft."""

    kind: Literal["dc_gearmotor", "rc_servo", "stepper"]
    control: Literal["position", "velocity", "position_or_velocity"]
    voltage_v: PositiveFloat
    stall_torque_n_m: PositiveFloat
    continuous_torque_n_m: PositiveFloat | None = None
    no_load_speed_rad_s: PositiveFloat
    stall_current_a: PositiveFloat | None = None
    gear_ratio: PositiveFloat | None = None
    range_deg: PositiveFloat | None = None
    shaft_d_mm: PositiveFloat | None = None
    step_deg: PositiveFloat | None = None
    rotor_inertia_kg_m2: NonNegativeFloat | None = None
    """Of rotor and gearbox, seen from the output shaft."""


class FastenerFigures(Model):
    """A screw, nut or washer."""

    standard: str | None = None
    d_mm: PositiveFloat
    pitch_mm: PositiveFloat | None = None
    length_mm: PositiveFloat | None = None
    head: str
    grade: str | None = None
    proof_stress_mpa: PositiveFloat | None = None


class BearingFigures(Model):
    """What carries a joint."""

    code: str
    bore_mm: PositiveFloat | None = None
    od_mm: PositiveFloat | None = None
    width_mm: PositiveFloat | None = None
    dyn_load_n: PositiveFloat | None = None
    max_force_n: PositiveFloat | None = None
    """What a joint may load it with."""


class GearFigures(Model):
    """A spur gear."""

    module_mm: PositiveFloat
    teeth: PositiveInt
    pitch_d_mm: PositiveFloat
    face_width_mm: PositiveFloat
    bore_mm: PositiveFloat | None = None
    """None: it has no bore."""


class SprocketFigures(Model):
    """A wheel for roller chains."""

    chain: str
    """Its number after ISO 606."""
    pitch_mm: PositiveFloat
    teeth: PositiveInt
    pitch_d_mm: PositiveFloat
    roller_d_mm: PositiveFloat
    tooth_width_mm: PositiveFloat
    bore_mm: PositiveFloat | None = None


class Interface(Model):
    """Where a part meets others, in its own frame."""

    name: str
    kind: Literal["shaft", "bolt_pattern", "bore", "face"]
    at_mm: Vector
    axis: Vector
    """Unit vector out of the part."""
    size_mm: PositiveFloat | None = None
    """Diameter."""


class CatalogPart(Model):
    """One thing that is sold, with all that is known of it."""

    id: CatalogId
    aliases: tuple[str, ...] = ()
    """Other ids that mean the same thing."""
    name: str
    category: Category
    subcategory: str
    size_mm: Vector | None = None
    """Of the box around it; None for what has no geometry of its own, such as the plain bearing of a joint."""
    mass_kg: PositiveFloat
    price_usd: NonNegativeFloat
    """Of one, an estimate unless `confidence` says otherwise."""
    material_id: str
    recipe: Recipe | None = None
    figures: dict[str, Figure] = Field(default={})
    """What the source says besides."""
    motor: MotorFigures | None = None
    fastener: FastenerFigures | None = None
    bearing: BearingFigures | None = None
    gear: GearFigures | None = None
    sprocket: SprocketFigures | None = None
    interfaces: tuple[Interface, ...] = ()
    source: str
    confidence: str
    """Which figures are sourced, computed, typical, conflicting or estimates."""


class CatalogFind(Model):
    """One part that a search proposes."""

    id: CatalogId
    name: str
    what: str
    """Category and kind, and the key figures, in one line."""
    figures: dict[str, Figure] = Field(default={})
    """The key figures by name, units in the names."""
    unit_price_usd: NonNegativeFloat
    """Of one, when as many are bought as was asked for."""
    confidence: str
    reason: str
    """Why it is proposed."""
