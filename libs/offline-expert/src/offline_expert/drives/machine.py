"""A machine with one motor, as data: printed parts, a slide and its drive. Millimetres, degrees, seconds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from offline_expert.boxes import Bounds, TurnedBox, Vec

GAP_MM = 0.01
"""Gap between parts that touch: contact without overlap."""


@dataclass(frozen=True)
class Gearmotor:
    """Dimensions and torque of a bought gear motor with a round housing."""

    id: str
    radius_mm: float
    length_mm: float
    mass_kg: float
    continuous_torque_n_m: float


DEFAULT_MOTOR = Gearmotor(
    "pololu-25d-hp-47", radius_mm=12.5, length_mm=68.0, mass_kg=0.104, continuous_torque_n_m=0.368
)
"""Used if the catalog cannot be searched: the cheapest that turns without limit and has a position sensor.

A servo's half turn is too short for a rack.
"""
PINION_MM = 10.0
"""Radius of the pinion. At 100 mm/s it turns at 10 rad/s, less than half of the motor's no-load speed."""
PINION_WIDTH_MM = 8.0
PINION_GAP_MM = 0.5
"""Between the pinion and the plate that the shaft passes through."""
BORE_MM = 8.0
"""Diameter of the hole for the shaft."""


class FoundMotor(TypedDict):
    """A motor that the catalog search found, as the search cell prints it; its shaft is along z of its housing."""

    id: str
    size_mm: Sequence[float]
    control: str
    continuous_torque_n_m: float | None
    no_load_speed_rad_s: float | None
    mass_g: float
    unit_price_usd: float


@dataclass(frozen=True)
class PrintedPart:
    """A printed box or wedge."""

    label: str
    box: TurnedBox
    comment: str = ""
    """Comment above it in the script, if any."""
    is_bored: bool = False
    """Whether the motor's shaft passes through it."""
    taper_mm: float = 0.0
    """How much narrower a plate is at its front: on its right, or, if negative, on its left."""
    rear_height_mm: float | None = None
    """Of a wedge: `box` has the height of its lower end; its top rises backwards to this height."""


@dataclass(frozen=True)
class Slide:
    """The joint that the motor drives."""

    rail: str
    """Label of the fixed part that guides the carriage; its side towards the motor is the rack."""
    carriage: str
    seat: Vec
    direction: Vec
    stroke_mm: float


@dataclass(frozen=True)
class DrivenMachine:
    """A carriage that moves once along a rack, driven by the motor it carries."""

    summary: str
    printed: tuple[PrintedPart, ...]
    slide: Slide
    motor_at: Vec
    """Point where the shaft leaves the housing."""
    plate_mm: float
    """Thickness of the plate that the shaft passes through; the pinion is behind it."""
    motor_tilt_deg: float
    """About the axis to the left of the motion, from a shaft that points upwards."""
    yaw_deg: float
    """Direction of the motion in plan."""
    delay_s: float
    """Time before it starts."""
    speed_mm_s: float
    """Maximum, in the middle of the stroke."""
    motor: Gearmotor = DEFAULT_MOTOR

    @property
    def motor_bounds(self) -> Bounds:
        """The box around the motor's housing, from which the shaft points away."""
        tilt, yaw = math.radians(self.motor_tilt_deg), math.radians(self.yaw_deg)
        shaft = (math.sin(tilt) * math.cos(yaw), math.sin(tilt) * math.sin(yaw), math.cos(tilt))
        lows: list[float] = []
        highs: list[float] = []
        for at, way in zip(self.motor_at, shaft, strict=True):
            beside, end = self.motor.radius_mm * math.sqrt(max(0.0, 1.0 - way**2)), at - way * self.motor.length_mm
            lows.append(min(at, end) - beside)
            highs.append(max(at, end) + beside)
        return Bounds((lows[0], lows[1], lows[2]), (highs[0], highs[1], highs[2]))


@dataclass(frozen=True)
class DriveProportions:
    """Values that adjustments change."""

    panel_mm: float = 3.0
    speed_mm_s: float = 100.0
    wait_s: float = 0.0
    """Added to the time before it starts: something that moves may be in the way until then."""
    side_ratio: float = 0.8
    """Height of side panels over the payload's size."""
    nose_mm: float = 0.0
    """How far a trolley's deck reaches ahead of its motor, beyond what it must."""
    motor: Gearmotor = DEFAULT_MOTOR
