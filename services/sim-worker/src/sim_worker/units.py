"""The one place where the language's millimetres become the SI units of physics, and come back."""

from collections.abc import Sequence
from math import pi

import numpy as np
from contracts.models.geometry import Vector
from numpy.typing import NDArray

MM_PER_M = 1000.0
RADIANS_PER_DEG = pi / 180
GRAVITY_M_S2 = 9.81
"""Standard pull of the simulated world, straight down."""

Floats = NDArray[np.float64]


def metres(length_mm: float) -> float:
    """Return a length in metres."""
    return length_mm / MM_PER_M


def metres_each(lengths_mm: Sequence[float]) -> list[float]:
    """Return lengths, or a place, in metres."""
    return [metres(length) for length in lengths_mm]


def metres_of(lengths_mm: Floats) -> Floats:
    """Return lengths, or places, of any shape in metres."""
    return lengths_mm / MM_PER_M


def millimetres(length_m: float) -> float:
    """Return a length in millimetres."""
    return float(length_m) * MM_PER_M


def millimetres_each(lengths_m: Floats) -> Floats:
    """Return lengths, or places, of any shape in millimetres."""
    return lengths_m * MM_PER_M


def place_mm(place_m: Floats) -> Vector:
    """Return one place (3,) as a vector of the language."""
    x, y, z = (millimetres(value) for value in place_m)
    return (x, y, z)


def radians(angle_deg: float) -> float:
    """Return an angle in radians."""
    return angle_deg * RADIANS_PER_DEG


def radians_each(angles_deg: Floats) -> Floats:
    """Return angles of any shape in radians."""
    return angles_deg * RADIANS_PER_DEG


def degrees_each(angles_rad: Floats) -> Floats:
    """Return angles of any shape in degrees."""
    return angles_rad / RADIANS_PER_DEG


def shaft_radians_each(travels_mm: Floats, pinion_radius_mm: float) -> Floats:
    """Return how far a shaft turns while its pinion of that radius moves a rack."""
    return travels_mm / pinion_radius_mm


def coupling_ratio(ratio: float, first_slides: bool, second_slides: bool) -> float:
    """Return the ratio of two joints, given in degrees and millimetres, in radians and metres."""
    second_unit = 1 / MM_PER_M if second_slides else RADIANS_PER_DEG
    first_unit = 1 / MM_PER_M if first_slides else RADIANS_PER_DEG
    return ratio * second_unit / first_unit
