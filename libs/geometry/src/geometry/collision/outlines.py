"""The outline of a flat section as a polygon that lies within the material wherever a curve is hollow.

There tangents stand for the curve, so that what fits into a bore still fits; outer curves are chords. Tangents may be
lifted off the curve towards the free space: fewer are needed then, and a hollow gets narrower by so much.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, tan

import numpy as np
from numpy.typing import NDArray

from geometry.convexity import Array, Indexes
from geometry.occt.sections import FINER, Curve

Mask = NDArray[np.bool_]

SAME_MM = 1e-6
TURN = 1e-6
"""Sine of the turn below which a curve is straight."""

Corner = tuple[Array, float, Array | None, Array | None]
"""A place, how deep it lies under a hollow curve, and the directions in which hollow curves come and go there."""


@dataclass(frozen=True, eq=False)
class Outline:
    """Edges around an area, which is on their left."""

    starts_mm: Array
    """(n, 2)."""
    ends_mm: Array
    """(n, 2)."""
    spent_mm: Array
    """(n,): how deep the edge lies under a hollow curve at most."""

    @property
    def normals(self) -> Array:
        """(n, 2), unit, out of the area."""
        along = self.ends_mm - self.starts_mm
        return np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]

    @property
    def area_mm2(self) -> float:
        """Its area, holes left out."""
        (x1, y1), (x2, y2) = self.starts_mm.T, self.ends_mm.T
        return float((x1 * y2 - x2 * y1).sum() / 2)

    def holds(self, points_mm: Array, margin_mm: float) -> Indexes:
        """Return the indexes (k,) of the points (n, 2) that lie in the area, a margin away from its edges."""
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
    rings: list[tuple[Array, list[float]]] = []
    for number, (wire, area) in enumerate(zip(wires, areas, strict=True)):
        is_forward = (area > 0) == (number == outer)
        rings.append(_ring(wire if is_forward else [_reversed(curve) for curve in reversed(wire)], lift_mm))
    ends = [np.roll(places, -1, axis=0) for places, _ in rings]
    spent = [np.maximum(depths, np.roll(depths, -1)) for _, depths in rings]
    return Outline(np.vstack([places for places, _ in rings]), np.vstack(ends), np.concatenate(spent))


def _signed_area(wire: Sequence[Curve]) -> float:
    points = np.vstack([curve.points_mm for curve in wire])
    x, y = points.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2)


def _reversed(curve: Curve) -> Curve:
    return Curve(curve.points_mm[::-1], -curve.tangents[::-1])


def _ring(wire: Sequence[Curve], lift_mm: float) -> tuple[Array, list[float]]:
    corners: list[Corner] = []
    for curve in wire:
        corners += _corners(curve, lift_mm)
    # each curve leaves its last point to the next one, which does not know how the hollow before it came in
    places: list[Array] = []
    depths: list[float] = []
    for index, (place, depth, _, going) in enumerate(corners):
        coming = corners[index - 1][2]
        if coming is not None and going is not None and abs(_cross(coming, going)) < TURN and coming @ going > 0:
            continue  # tangents on both sides are one line
        if not places or np.linalg.norm(place - places[-1]) > SAME_MM:
            places.append(place)
            depths.append(depth)
    if np.linalg.norm(places[0] - places[-1]) <= SAME_MM:
        places, depths = places[:-1], depths[:-1]
    return np.array(places), depths


def _corners(curve: Curve, lift_mm: float) -> list[Corner]:
    """Return the corners of a curve without its last point: tangents where it is hollow, chords elsewhere."""
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
        across = tangents[end] - tangents[start]  # towards the middle of the bend: the free space
        lifted = points[start] + meeting * tangents[start] + lift_mm * across / np.linalg.norm(across)
        corners.append((points[start], 0.0, None, tangents[start]))
        corners.append((lifted, meeting * tan(asin(-turn) / 4) - lift_mm, tangents[end], None))
    return corners


def _cross(first: Array, second: Array) -> float:
    return float(first[0] * second[1] - first[1] * second[0])
