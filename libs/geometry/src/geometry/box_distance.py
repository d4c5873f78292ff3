"""How near two boxes are, or how deep one sits in the other."""

from dataclasses import dataclass

import numpy as np
from contracts.models.geometry import Box, Vector

from geometry.boxes import Array, OrientedBox, vector

TOUCHING_MM = 1e-6
"""Below this, a gap or an overlap is rounding."""


@dataclass(frozen=True)
class Separation:
    """The answer of the separating-axis test."""

    gap_mm: float
    """Positive: the boxes are at least this far apart. Negative: the least depth of their overlap."""
    direction: Vector
    """Unit vector from the first box to the second along which that holds."""


def separation(first: OrientedBox, second: OrientedBox) -> Separation:
    """Compare the shadows of two boxes on the 15 axes that decide whether boxes overlap."""
    axes = _candidates(first, second)
    offset = axes @ (second.center_mm - first.center_mm)
    gaps = np.abs(offset) - _reach(first, axes) - _reach(second, axes)
    best = int(np.argmax(gaps))
    return Separation(float(gaps[best]), vector(axes[best] * (1.0 if offset[best] >= 0 else -1.0)))


def near(first: Box, second: Box, distance_mm: float) -> bool:
    """Tell whether two axis-aligned boxes are at most this far apart along every axis."""
    return all(
        first.min_mm[axis] <= second.max_mm[axis] + distance_mm
        and second.min_mm[axis] <= first.max_mm[axis] + distance_mm
        for axis in range(3)
    )


def _candidates(first: OrientedBox, second: OrientedBox) -> Array:
    """Return unit axes (n, 3): both boxes' own, and the cross products of those that are not parallel."""
    crosses = np.cross(first.axes[:, None, :], second.axes[None, :, :]).reshape(-1, 3)
    lengths = np.linalg.norm(crosses, axis=1)
    useful = lengths > 1e-6
    return np.vstack([first.axes, second.axes, crosses[useful] / lengths[useful, None]])


def _reach(box: OrientedBox, axes: Array) -> Array:
    """Return half the length (n,) of the box's shadow on each axis."""
    return np.abs(axes @ box.axes.T) @ (box.size_mm / 2)
