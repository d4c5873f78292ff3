"""Conversion between the contracts' millimetres and degrees and the SI units of physics; no other module converts."""

from collections.abc import Sequence
from math import pi

import numpy as np
from contracts.models.geometry import Vector
from numpy.typing import NDArray

MM_PER_M = 1000.0
RADIANS_PER_DEG = pi / 180
GRAVITY_M_S2 = 9.81
"""Gravitational acceleration of the simulated world, along -z."""

Floats = NDArray[np.float64]


def metres(length_mm: float) -> float:
    """Return a length in metres."""
    return length_mm / MM_PER_M


def metres_each(lengths_mm: Sequence[float]) -> list[float]:
    """Return a sequence of lengths, or a vector, in metres."""
    return [metres(length) for length in lengths_mm]


def metres_of(lengths_mm: Floats) -> Floats:
    """Return an array of lengths of any shape in metres."""
    return lengths_mm / MM_PER_M


def millimetres(length_m: float) -> float:
    """Return a length in millimetres."""
    return float(length_m) * MM_PER_M


def millimetres_each(lengths_m: Floats) -> Floats:
    """Return an array of lengths of any shape in millimetres."""
    return lengths_m * MM_PER_M


def vector_mm(point_m: Floats) -> Vector:
    """Return a point (3,) in metres as a contracts vector in millimetres."""
    x, y, z = (millimetres(value) for value in point_m)
    return (x, y, z)


def radians(angle_deg: float) -> float:
    """Return an angle in radians."""
    return angle_deg * RADIANS_PER_DEG


def radians_each(angles_deg: Floats) -> Floats:
    """Return an array of angles of any shape in radians."""
    return angles_deg * RADIANS_PER_DEG


def degrees_each(angles_rad: Floats) -> Floats:
    """Return an array of angles of any shape in degrees."""
    return angles_rad / RADIANS_PER_DEG


def shaft_radians_each(travels_mm: Floats, pinion_radius_mm: float) -> Floats:
    """Return the shaft angles at which a pinion of that radius has moved a rack by these distances."""
    return travels_mm / pinion_radius_mm


def coupling_ratio(ratio: float, first_slides: bool, second_slides: bool) -> float:
    """Return the ratio of two joints, given in degrees and millimetres, in radians and metres."""
    second_unit = 1 / MM_PER_M if second_slides else RADIANS_PER_DEG
    first_unit = 1 / MM_PER_M if first_slides else RADIANS_PER_DEG
    return ratio * second_unit / first_unit
