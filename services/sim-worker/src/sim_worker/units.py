"""The one place where the language's millimetres become the SI units of physics, and come back."""

from collections.abc import Sequence

import numpy as np
from contracts.geometry import Vector
from numpy.typing import NDArray

MM_PER_M = 1000.0
GRAVITY_M_S2 = 9.81
"""Standard pull of the simulated world, straight down."""

Floats = NDArray[np.float64]


def metres(length_mm: float) -> float:
    """Return a length in metres."""
    return length_mm / MM_PER_M


def metres_each(lengths_mm: Sequence[float]) -> list[float]:
    """Return lengths, or a place, in metres."""
    return [metres(length) for length in lengths_mm]


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
