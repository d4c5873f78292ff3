"""A machine with one motor, as data: what is printed, what slides, what drives it. Millimetres, degrees, seconds."""

from dataclasses import dataclass

from offline_expert.routing.boxes import TurnedBox, Vec

GAP_MM = 0.01
"""Parts that touch keep this distance: contact, but no overlap."""


@dataclass(frozen=True)
class MotorSheet:
    """What the expert knows of a motor that is sold."""

    id: str
    radius_mm: float
    length_mm: float
    mass_kg: float
    continuous_torque_n_m: float


GEARED = MotorSheet("pololu-25d-hp-47", radius_mm=12.5, length_mm=68.0, mass_kg=0.104, continuous_torque_n_m=0.368)
"""Known by heart, where the catalog cannot be asked: the cheapest with a position sensor that turns without end.

A servo's half turn is too short for a rack.
"""
PINION_MM = 10.0
"""Radius of the pinion. At 100 mm/s it turns with 10 rad/s, less than half of what the motor can without load."""
BORE_MM = 8.0
"""Of the hole for the shaft."""


@dataclass(frozen=True)
class Printed:
    """A printed part."""

    label: str
    box: TurnedBox
    why: str = ""
    """Said above it in the script, if anything."""
    is_bored: bool = False
    """The motor's shaft passes through it."""
    rear_height_mm: float | None = None
    """Of a wedge: `box` holds its lower end's height; its top rises backwards to this height."""


@dataclass(frozen=True)
class Slide:
    """The joint that the motor drives."""

    rail: str
    """Label of the part with the rack, which does not move."""
    carriage: str
    seat: Vec
    direction: Vec
    stroke_mm: float


@dataclass(frozen=True)
class Machine:
    """A carriage that a motor of its own moves once along a rack."""

    summary: str
    printed: tuple[Printed, ...]
    slide: Slide
    motor_at: Vec
    """Where the shaft leaves the housing."""
    motor_tilt_deg: float
    """About the axis to the left of the way, from a shaft that points upwards."""
    yaw_deg: float
    """Of the way."""
    waits_s: float
    speed_mm_s: float
    """At most, in the middle of the stroke."""
    motor: MotorSheet = GEARED


@dataclass(frozen=True)
class Proportions:
    """What mending may change."""

    panel_mm: float = 3.0
    speed_mm_s: float = 100.0
    side_ratio: float = 0.8
    """Height of side panels over the payload's size."""
    motor: MotorSheet = GEARED
