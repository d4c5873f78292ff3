"""Bought parts: figures, interfaces and geometry recipes."""

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
"""The library that makes the shape, or `plain`: Box, Cylinder, Sphere, Ring, ShieldedBearing, Rail, Carriage and
HousedBearing."""


Figure = bool | int | float | str
"""A number, with the unit in its name, or a word."""


class Recipe(Model):
    """Recipe for the geometry of a part."""

    module: RecipeModule
    class_name: str
    args: dict[str, Figure] = Field(default={})
    """Arguments of the class; lengths in mm."""
    bore_mm: PositiveFloat | None = None
    """Diameter of a hole through the middle, along z."""
    center_mm: Vector = (0.0, 0.0, 0.0)
    """Position of the shape's origin."""
    is_exact: bool = True
    """False for a plain body that has the size but not the shape of the part."""


class MotorFigures(Model):
    """Figures of a motor at its output shaft."""

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
    """Inertia of rotor and gearbox at the output shaft."""


class FastenerFigures(Model):
    """Figures of a screw, nut or washer."""

    standard: str | None = None
    d_mm: PositiveFloat
    pitch_mm: PositiveFloat | None = None
    length_mm: PositiveFloat | None = None
    head: str
    grade: str | None = None
    proof_stress_mpa: PositiveFloat | None = None


class BearingFigures(Model):
    """Figures of a bearing."""

    code: str
    bore_mm: PositiveFloat | None = None
    od_mm: PositiveFloat | None = None
    width_mm: PositiveFloat | None = None
    dyn_load_n: PositiveFloat | None = None
    max_force_n: PositiveFloat | None = None
    """Maximum load of a joint on it."""


class GearFigures(Model):
    """Figures of a spur gear."""

    module_mm: PositiveFloat
    teeth: PositiveInt
    pitch_d_mm: PositiveFloat
    face_width_mm: PositiveFloat
    bore_mm: PositiveFloat | None = None
    """None: no bore."""


class SprocketFigures(Model):
    """Figures of a sprocket for roller chains."""

    chain: str
    """Number of the chain in ISO 606."""
    pitch_mm: PositiveFloat
    teeth: PositiveInt
    pitch_d_mm: PositiveFloat
    roller_d_mm: PositiveFloat
    tooth_width_mm: PositiveFloat
    bore_mm: PositiveFloat | None = None


class Interface(Model):
    """A connection point of a part, in the part's frame."""

    name: str
    kind: Literal["shaft", "bolt_pattern", "bore", "face"]
    at_mm: Vector
    axis: Vector
    """Unit vector out of the part."""
    size_mm: PositiveFloat | None = None
    """Diameter."""


class CatalogPart(Model):
    """A bought part with all its data."""

    id: CatalogId
    aliases: tuple[str, ...] = ()
    """Other ids of the same part."""
    name: str
    category: Category
    subcategory: str
    size_mm: Vector | None = None
    """Size of the bounding box. None: the part has no geometry, such as the plain bearing of a joint."""
    mass_kg: PositiveFloat
    price_usd: NonNegativeFloat
    """Price of one piece, an estimate unless `confidence` says otherwise."""
    material_id: str
    recipe: Recipe | None = None
    figures: dict[str, Figure] = Field(default={})
    """Further figures from the source."""
    motor: MotorFigures | None = None
    fastener: FastenerFigures | None = None
    bearing: BearingFigures | None = None
    gear: GearFigures | None = None
    sprocket: SprocketFigures | None = None
    interfaces: tuple[Interface, ...] = ()
    source: str
    confidence: str
    """Which figures are sourced, computed, typical, conflicting or estimated."""


class CatalogFind(Model):
    """A part that a search proposes."""

    id: CatalogId
    name: str
    what: str
    """Category and kind, and the key figures, in one line."""
    figures: dict[str, Figure] = Field(default={})
    """The key figures by name, with units in the names."""
    unit_price_usd: NonNegativeFloat
    """Price of one piece at the requested quantity."""
    confidence: str
    reason: str
    """Why the search proposes it."""
