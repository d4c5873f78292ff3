"""Oriented boxes: their recognition in a B-rep, and the distance or overlap of two of them."""

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

import numpy as np
from build123d import GeomType, Solid
from contracts.models.geometry import Box, Quaternion, Vector

from geometry.arrays import FloatArray, as_vector, crossed
from geometry.occt.brep import is_valid
from geometry.occt.surfaces import plane_of
from geometry.rotations import quaternion_of

ANGLE_TOLERANCE = 1e-7
"""Sine of the largest angle between normals that count as parallel."""
LENGTH_TOLERANCE_MM = 1e-4
VOLUME_TOLERANCE = 1e-6
"""Relative."""
TOUCHING_MM = 1e-6
"""A smaller gap or overlap is rounding."""


@dataclass(frozen=True, eq=False)
class OrientedBox:
    """A box in any rotation."""

    center_mm: FloatArray
    """(3,)."""
    axes: FloatArray
    """(3, 3): rows are the unit vectors of the box's own x, y and z, right-handed."""
    size_mm: FloatArray
    """(3,): full edge lengths along `axes`."""

    @classmethod
    def of(cls, box: Box) -> "OrientedBox":
        """Return an axis-aligned box as an oriented one."""
        return cls(np.array(box.center_mm), np.eye(3), np.array(box.size_mm))

    @property
    def corners_mm(self) -> FloatArray:
        """(8, 3)."""
        signs = np.array(list(product((-0.5, 0.5), repeat=3)))
        return self.center_mm + (signs * self.size_mm) @ self.axes

    @cached_property
    def bounds(self) -> Box:
        """The axis-aligned bounding box."""
        half = np.abs(self.axes.T) @ (self.size_mm / 2)
        return Box(min_mm=as_vector(self.center_mm - half), max_mm=as_vector(self.center_mm + half))

    @property
    def volume_mm3(self) -> float:
        """Exact volume."""
        return float(np.prod(self.size_mm))

    @property
    def quaternion(self) -> Quaternion:
        """Rotation from the box's own axes to the world, w x y z with w >= 0."""
        return quaternion_of(self.axes.T)

    def signed_distance_mm(self, point_mm: Vector) -> float:
        """Return the distance of a point from the surface, negative inside the box."""
        beyond = np.abs(self.axes @ (np.array(point_mm) - self.center_mm)) - self.size_mm / 2
        outside = float(np.linalg.norm(np.maximum(beyond, 0.0)))
        return outside if outside > 0 else float(beyond.max())


@dataclass(frozen=True)
class Separation:
    """Result of the separating-axis test."""

    gap_mm: float
    """Positive: a lower bound of the distance. Negative: the smallest penetration depth."""
    direction: Vector
    """Unit vector from the first box to the second along which `gap_mm` was measured."""

    @property
    def opposite_direction(self) -> Vector:
        """Direction in which the first box moves away from the second."""
        x, y, z = self.direction
        return (0.0 - x, 0.0 - y, 0.0 - z)


def recognise_box(solid: Solid) -> OrientedBox | None:
    """Return the box that a solid is, or None for any other shape.

    Flat faces in three perpendicular directions span a box; a solid inside it with the same volume is that box.
    """
    if any(face.geom_type != GeomType.PLANE for face in solid.faces()):
        return None
    if any(edge.geom_type != GeomType.LINE for edge in solid.edges()) or not is_valid(solid):
        return None
    box = _spanned_box(solid)
    return box if box is not None and _fills(solid, box) else None


def separation(first: OrientedBox, second: OrientedBox) -> Separation:
    """Compare the projections of two boxes on the 15 axes that decide whether boxes overlap."""
    axes = _candidate_axes(first, second)
    offset = axes @ (second.center_mm - first.center_mm)
    gaps = np.abs(offset) - _half_projection(first, axes) - _half_projection(second, axes)
    best = int(np.argmax(gaps))
    return Separation(float(gaps[best]), as_vector(axes[best] * (1.0 if offset[best] >= 0 else -1.0)))


def are_within(first: Box, second: Box, distance_mm: float) -> bool:
    """Tell whether two axis-aligned boxes are at most this far apart along every axis."""
    return all(
        first.min_mm[axis] <= second.max_mm[axis] + distance_mm
        and second.min_mm[axis] <= first.max_mm[axis] + distance_mm
        for axis in range(3)
    )


def _spanned_box(solid: Solid) -> OrientedBox | None:
    directions: list[FloatArray] = []
    offsets: list[list[float]] = []
    for face in solid.faces():
        normal, point = (np.array(each) for each in plane_of(face))
        index = _parallel(normal, directions)
        if index is None:
            index = len(directions)
            directions.append(normal)
            offsets.append([])
        offsets[index].append(float(directions[index] @ point))
    rows = np.array(directions)
    if len(directions) != 3 or not np.allclose(rows @ rows.T, np.eye(3), rtol=0, atol=ANGLE_TOLERANCE):
        return None
    low, high = np.array([min(each) for each in offsets]), np.array([max(each) for each in offsets])
    return _box_between(rows, low, high)


def _parallel(normal: FloatArray, directions: list[FloatArray]) -> int | None:
    for index, direction in enumerate(directions):
        if np.linalg.norm(crossed(normal, direction)) < ANGLE_TOLERANCE:
            return index
    return None


def _box_between(directions: FloatArray, low: FloatArray, high: FloatArray) -> OrientedBox:
    """Order and orient the axes so that the rotation is the smallest: an unrotated box keeps x, y, z."""
    order = list(max(permutations(range(3)), key=lambda rows: float(np.abs(np.diag(directions[list(rows)])).sum())))
    center = directions.T @ ((low + high) / 2)
    axes = directions[order]
    axes = axes * np.where(np.diag(axes) < 0, -1.0, 1.0)[:, None]
    if np.linalg.det(axes) < 0:
        axes[int(np.argmin(np.abs(np.diag(axes))))] *= -1
    return OrientedBox(center, axes, (high - low)[order])


def _fills(solid: Solid, box: OrientedBox) -> bool:
    vertices = np.array([tuple(vertex) for vertex in solid.vertices()])
    inside = np.abs((vertices - box.center_mm) @ box.axes.T) <= box.size_mm / 2 + LENGTH_TOLERANCE_MM
    return bool(inside.all()) and abs(solid.volume - box.volume_mm3) <= VOLUME_TOLERANCE * box.volume_mm3


def _candidate_axes(first: OrientedBox, second: OrientedBox) -> FloatArray:
    """Return unit axes (n, 3): both boxes' own, and the cross products of those that are not parallel."""
    crosses = crossed(first.axes[:, None, :], second.axes[None, :, :]).reshape(-1, 3)
    lengths = np.linalg.norm(crosses, axis=1)
    useful = lengths > 1e-6
    return np.vstack([first.axes, second.axes, crosses[useful] / lengths[useful, None]])


def _half_projection(box: OrientedBox, axes: FloatArray) -> FloatArray:
    """Return half the length (n,) of the box's projection on each axis."""
    return np.abs(axes @ box.axes.T) @ (box.size_mm / 2)
