"""Boxes in any rotation, and how to find one in a B-rep."""

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

import numpy as np
from build123d import GeomType, Solid
from contracts.models.geometry import Box, Quaternion, Vector
from numpy.typing import NDArray

from geometry.occt.shapes import is_valid, plane_of

Array = NDArray[np.float64]

ANGLE_TOLERANCE = 1e-7
"""How far two normals may be from parallel, as the sine of their angle."""
LENGTH_TOLERANCE_MM = 1e-4
VOLUME_TOLERANCE = 1e-6
"""Relative."""


@dataclass(frozen=True, eq=False)
class OrientedBox:
    """A box in any rotation, in millimetres."""

    center_mm: Array
    """(3,)."""
    axes: Array
    """(3, 3): rows are the unit vectors of the box's own x, y and z, right-handed."""
    size_mm: Array
    """(3,): full edge lengths along `axes`."""

    @classmethod
    def of(cls, box: Box) -> "OrientedBox":
        """Return an axis-aligned box as an oriented one."""
        return cls(np.array(box.center_mm), np.eye(3), np.array(box.size_mm))

    @property
    def corners_mm(self) -> Array:
        """(8, 3)."""
        signs = np.array(list(product((-0.5, 0.5), repeat=3)))
        return self.center_mm + (signs * self.size_mm) @ self.axes

    @cached_property
    def around(self) -> Box:
        """The axis-aligned box around it."""
        half = np.abs(self.axes.T) @ (self.size_mm / 2)
        return Box(min_mm=vector(self.center_mm - half), max_mm=vector(self.center_mm + half))

    @property
    def volume_mm3(self) -> float:
        """Exact volume."""
        return float(np.prod(self.size_mm))

    @property
    def quaternion(self) -> Quaternion:
        """Rotation from the box's own axes to the world, w x y z with w >= 0."""
        return _quaternion(self.axes.T)

    def distance_to_point_mm(self, point_mm: Vector) -> float:
        """Return how far a point lies outside the box; 0 inside it."""
        beyond = np.abs(self.axes @ (np.array(point_mm) - self.center_mm)) - self.size_mm / 2
        return float(np.linalg.norm(np.maximum(beyond, 0.0)))


def vector(array: Array) -> Vector:
    """Return an array (3,) as the language's vector."""
    x, y, z = (float(value) for value in array)
    return (x, y, z)


def recognise_box(solid: Solid) -> OrientedBox | None:
    """Return the box that a solid is, or None if it is anything else.

    Flat faces in three square directions span a box; a solid that lies inside it and has its volume is that box.
    """
    if any(face.geom_type != GeomType.PLANE for face in solid.faces()):
        return None
    if any(edge.geom_type != GeomType.LINE for edge in solid.edges()) or not is_valid(solid):
        return None
    box = _spanned_box(solid)
    return box if box is not None and _fills(solid, box) else None


def _spanned_box(solid: Solid) -> OrientedBox | None:
    directions: list[Array] = []
    offsets: list[list[float]] = []
    for face in solid.faces():
        normal, point = (np.array(found) for found in plane_of(face))
        index = _parallel(normal, directions)
        if index is None:
            index = len(directions)
            directions.append(normal)
            offsets.append([])
        offsets[index].append(float(directions[index] @ point))
    rows = np.array(directions)
    if len(directions) != 3 or not np.allclose(rows @ rows.T, np.eye(3), rtol=0, atol=ANGLE_TOLERANCE):
        return None
    low, high = np.array([min(found) for found in offsets]), np.array([max(found) for found in offsets])
    return _box_of(rows, low, high)


def _parallel(normal: Array, directions: list[Array]) -> int | None:
    for index, direction in enumerate(directions):
        if np.linalg.norm(np.cross(normal, direction)) < ANGLE_TOLERANCE:
            return index
    return None


def _box_of(directions: Array, low: Array, high: Array) -> OrientedBox:
    """Name the axes so that the rotation is the smallest: an unrotated box gets x, y, z."""
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


def _quaternion(rotation: Array) -> Quaternion:
    """Return w x y z of a rotation matrix (3, 3): the eigenvector of Bar-Itzhack's matrix, stable for every angle."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rotation
    matrix = np.array(
        [
            [xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, xx - yy - zz, xy + yx, xz + zx],
            [xz - zx, xy + yx, yy - xx - zz, yz + zy],
            [yx - xy, xz + zx, yz + zy, zz - xx - yy],
        ]
    )
    w, x, y, z = np.linalg.eigh(matrix)[1][:, -1]
    sign = -1.0 if w < 0 else 1.0
    return (float(sign * w), float(sign * x), float(sign * y), float(sign * z))
