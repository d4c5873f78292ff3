"""Points where lines of a regular lattice meet triangles. They depend on the surface, not on how it is triangulated."""

from dataclasses import dataclass

import numpy as np

from geometry.arrays import FloatArray, IntArray

INSIDE = -1e-9
"""Least barycentric coordinate: a line through a side meets both triangles, and one of the two points is dropped."""
SAME_MM = 1e-6
TURNS = np.array([0.7548776662466927, 0.5698402909980532])
"""Of the offset from square to square: the powers of 1 / 1.3247, which spread points evenly in two dimensions."""


@dataclass(frozen=True)
class LatticePoints:
    """Points on triangles, on lines along one axis."""

    triangles: IntArray
    """(n,)"""
    weights: FloatArray
    """(n, 3), barycentric."""
    lines: IntArray
    """(n, 2), the number of each point's line along the two other axes."""


def lattice_points(corners_mm: FloatArray, axis: int, spacing_mm: FloatArray, groups: IntArray) -> LatticePoints:
    """Return where lines along an axis meet triangles (t, 3, 3), whose lines have a spacing of their own (t,).

    Each square of a grid through the origin has one line, off its middle, so that the points on a wall lie at many
    depths. A mirrored surface meets the mirrored lines, and one whose axes are swapped meets the same. A point on a
    side of two triangles of one group (t,) is returned once.
    """
    across = [other for other in range(3) if other != axis]
    flat = corners_mm[:, :, across]
    low, high = (np.floor(ends / spacing_mm[:, None]).astype(np.int64) for ends in (flat.min(axis=1), flat.max(axis=1)))
    counts = np.maximum(high - low + 1, 0)
    totals = counts.prod(axis=1)
    triangles = np.repeat(np.arange(len(flat)), totals)
    within = np.arange(len(triangles)) - np.repeat(np.cumsum(totals) - totals, totals)
    lines = low[triangles] + np.stack(np.divmod(within, np.maximum(counts[triangles, 1], 1)), axis=1)
    weights = _barycentric(flat[triangles], _places(lines) * spacing_mm[triangles][:, None])
    is_inside = (weights >= INSIDE).all(axis=1)
    triangles, lines, weights = triangles[is_inside], lines[is_inside], weights[is_inside]
    along: FloatArray = np.einsum("nc,nc->n", weights, corners_mm[triangles, :, axis])
    keys = np.column_stack([groups[triangles], lines, np.floor(along / SAME_MM + 0.5).astype(np.int64)])
    _, first = np.unique(keys, axis=0, return_index=True)
    return LatticePoints(triangles[first].astype(np.int64), weights[first], lines[first])


def _places(lines: IntArray) -> FloatArray:
    """Return (n, 2): where the lines (n, 2) run, in spacings."""
    away = np.where(lines < 0, -1 - lines, lines)  # equal on both sides of the origin
    off = np.stack([0.5 + away @ TURNS, 0.5 + away[:, ::-1] @ TURNS], axis=1) % 1.0
    return np.where(lines < 0, -1.0, 1.0) * (away + off)


def _barycentric(flat: FloatArray, points: FloatArray) -> FloatArray:
    """Return (n, 3): coordinates of points (n, 2) in triangles (n, 3, 2); -1 in triangles seen from their side."""
    first, second, third = flat[:, 0], flat[:, 1], flat[:, 2]
    area = _cross(second - first, third - first)
    size = np.abs(flat - first[:, None]).max(axis=(1, 2))
    is_flat = np.abs(area) < 1e-9 * np.maximum(size, 1e-9) ** 2
    safe = np.where(is_flat, 1.0, area)
    one, two = _cross(points - first, third - first) / safe, _cross(second - first, points - first) / safe
    weights = np.stack([1 - one - two, one, two], axis=1)
    return np.where(is_flat[:, None], -1.0, weights)


def _cross(one: FloatArray, other: FloatArray) -> FloatArray:
    return one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
