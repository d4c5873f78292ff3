"""The outline of a plane section as a polygon that stays within the material along concave curves.

Concave curves are replaced by tangents, so that a pin that fits into a bore still fits; convex curves by chords.
Tangents may be lifted off the curve towards the free space: fewer are needed then, and the hollow gets narrower by the
lift.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, tan

import numpy as np

from geometry.arrays import FloatArray, IntArray
from geometry.occt.sections import FINER, Curve

SAME_MM = 1e-6
TURN = 1e-6
"""Sine of the turn below which a curve is straight."""

Corner = tuple[FloatArray, float, FloatArray | None, FloatArray | None]
"""A point, its depth under a concave curve, and the directions of the concave curves that end and begin there."""


@dataclass(frozen=True, eq=False)
class Outline:
    """Edges around an area, which is on their left."""

    starts_mm: FloatArray
    """(n, 2)."""
    ends_mm: FloatArray
    """(n, 2)."""
    depth_mm: FloatArray
    """(n,): largest depth of the edge under a concave curve."""

    @property
    def normals(self) -> FloatArray:
        """(n, 2), unit, out of the area."""
        along = self.ends_mm - self.starts_mm
        return np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]

    @property
    def area_mm2(self) -> float:
        """Area without holes."""
        (x1, y1), (x2, y2) = self.starts_mm.T, self.ends_mm.T
        return float((x1 * y2 - x2 * y1).sum() / 2)

    def indexes_inside(self, points_mm: FloatArray, margin_mm: float) -> IntArray:
        """Return the indexes (k,) of the points (n, 2) inside the area, at least a margin away from its edges."""
        (x1, y1), (x2, y2) = self.starts_mm.T, self.ends_mm.T
        x, y = points_mm[:, :1], points_mm[:, 1:]
        rise = np.where(y1 == y2, 1.0, y2 - y1)
        crossed = ((y1 <= y) != (y2 <= y)) & (x < x1 + (y - y1) / rise * (x2 - x1))
        squares = (x2 - x1) ** 2 + (y2 - y1) ** 2
        share = np.clip(((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / squares, 0, 1)
        away = np.hypot(x - x1 - share * (x2 - x1), y - y1 - share * (y2 - y1)).min(axis=1)
        return np.flatnonzero((crossed.sum(axis=1) % 2 == 1) & (away >= margin_mm))


def outline_of(wires: Sequence[Sequence[Curve]], lift_mm: float) -> Outline:
    """Return the polygon of an outer wire and the holes in it, in any order and direction."""
    areas = [_signed_area(wire) for wire in wires]
    outer = int(np.argmax(np.abs(areas)))
    rings: list[tuple[FloatArray, list[float]]] = []
    for number, (wire, area) in enumerate(zip(wires, areas, strict=True)):
        is_forward = (area > 0) == (number == outer)
        rings.append(_ring(wire if is_forward else [_reversed(curve) for curve in reversed(wire)], lift_mm))
    ends = [np.roll(points, -1, axis=0) for points, _ in rings]
    depths = [np.maximum(each, np.roll(each, -1)) for _, each in rings]
    return Outline(np.vstack([points for points, _ in rings]), np.vstack(ends), np.concatenate(depths))


def _signed_area(wire: Sequence[Curve]) -> float:
    points = np.vstack([curve.points_mm for curve in wire])
    x, y = points.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2)


def _reversed(curve: Curve) -> Curve:
    return Curve(curve.points_mm[::-1], -curve.tangents[::-1])


def _ring(wire: Sequence[Curve], lift_mm: float) -> tuple[FloatArray, list[float]]:
    corners: list[Corner] = []
    for curve in wire:
        corners += _corners(curve, lift_mm)
    # Each curve leaves its last point to the next one, which does not know the direction of a concave curve before it.
    points: list[FloatArray] = []
    depths: list[float] = []
    for index, (point, depth, _, leaving) in enumerate(corners):
        arriving = corners[index - 1][2]
        if (
            arriving is not None
            and leaving is not None
            and abs(_cross(arriving, leaving)) < TURN
            and arriving @ leaving > 0
        ):
            continue  # tangents on both sides are one line
        if not points or np.linalg.norm(point - points[-1]) > SAME_MM:
            points.append(point)
            depths.append(depth)
    if np.linalg.norm(points[0] - points[-1]) <= SAME_MM:
        points, depths = points[:-1], depths[:-1]
    return np.array(points), depths


def _corners(curve: Curve, lift_mm: float) -> list[Corner]:
    """Return the corners of a curve without its last point: tangents where it is concave, chords elsewhere."""
    points, tangents = curve.points_mm, curve.tangents
    if len(points) == 2:
        return [(points[0], 0.0, None, None)]
    corners: list[Corner] = []
    for start in range(0, len(points) - 1, FINER):
        end = start + FINER
        turn = _cross(tangents[start], tangents[end])
        if turn > -TURN or tangents[start] @ tangents[end] < TURN:
            corners += [(points[index], 0.0, None, None) for index in range(start, end)]
            continue
        meeting = _cross(points[end] - points[start], tangents[end]) / turn
        across = tangents[end] - tangents[start]  # towards the centre of curvature: the free space
        lifted = points[start] + meeting * tangents[start] + lift_mm * across / np.linalg.norm(across)
        corners.append((points[start], 0.0, None, tangents[start]))
        corners.append((lifted, meeting * tan(asin(-turn) / 4) - lift_mm, tangents[end], None))
    return corners


def _cross(first: FloatArray, second: FloatArray) -> float:
    return float(first[0] * second[1] - first[1] * second[0])
