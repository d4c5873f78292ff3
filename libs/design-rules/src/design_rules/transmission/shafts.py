"""Shafts of motors, found in the shape of their housings: a script's claims about them do not count."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import asin, degrees

import numpy as np
from build123d import Solid
from contracts.models.geometry import Vector
from contracts.models.scene import BoxGeom, CylinderGeom
from geometry.arrays import FloatArray
from geometry.collision.primitives import exact_primitive
from geometry.rotations import matrix_of
from parts_catalog.datasheets import Housing

SAME_MM = 1e-3


@dataclass(frozen=True, eq=False)
class Shaft:
    """The axis of a motor's shaft."""

    point_mm: FloatArray
    """Where it leaves the housing."""
    direction: FloatArray
    """Unit vector out of the housing."""
    across: FloatArray
    """Unit vector along the housing's own x axis."""


def shafts_of(solid: Solid, housing: Housing, near_mm: Sequence[float]) -> list[Shaft]:
    """Return every possible shaft, as a plain housing looks the same from several sides.

    A round one may be turned about its middle: of a shaft beside that, those on the side of `near_mm`. Empty if the
    solid is not the housing.
    """
    primitive = exact_primitive(solid)
    if isinstance(primitive, BoxGeom) and housing.shape == "box":
        axes, size = matrix_of(primitive.quaternion), np.array(primitive.size_mm)
    elif isinstance(primitive, CylinderGeom) and housing.shape == "cylinder":
        size = (2 * primitive.radius_mm, 2 * primitive.radius_mm, primitive.length_mm)
        return _of_cylinder(primitive, housing, near_mm) if np.allclose(size, housing.size_mm, atol=SAME_MM) else []
    else:
        return []
    expected, center = np.array(housing.size_mm), np.array(housing.center_mm)
    return [
        Shaft(np.array(primitive.center_mm) - axes @ turn @ center, axes @ turn[:, 2], axes @ turn[:, 0])
        for turn in _turns()
        if np.allclose(np.abs(turn.T) @ size, expected, rtol=0, atol=SAME_MM)
    ]


def _of_cylinder(cylinder: CylinderGeom, housing: Housing, near_mm: Sequence[float]) -> list[Shaft]:
    """Return a shaft for each end."""
    axes, middle = matrix_of(cylinder.quaternion), np.array(cylinder.center_mm)
    beside = (np.array(near_mm) - middle) @ axes[:, :2] @ axes[:, :2].T
    is_beside = np.linalg.norm(beside) > SAME_MM
    across = beside / np.linalg.norm(beside) if is_beside else axes[:, 0]
    ends = (axes[:, 2], -axes[:, 2])
    return [Shaft(middle - housing.center_mm[0] * across - housing.center_mm[2] * end, end, across) for end in ends]


def misalignment(shaft: Shaft, point_mm: Vector, axis: Vector) -> tuple[float, float]:
    """Return the distance of a shaft's line from a point, in mm, and its angle to an axis, in degrees."""
    across = np.cross(np.array(point_mm) - shaft.point_mm, shaft.direction)
    return float(np.linalg.norm(across)), tilt_deg(shaft.direction, np.array(axis))


def tilt_deg(first: FloatArray, second: FloatArray) -> float:
    """Return the angle between two lines, 0 to 90 degrees. `second` may have any length."""
    sine = np.linalg.norm(np.cross(first, second / np.linalg.norm(second)))
    return degrees(asin(min(1.0, float(sine))))


def _turns() -> Iterator[FloatArray]:
    """Yield the 24 rotations that map the axes onto each other: columns are the housing's x, y, z."""
    for order, signs in product(permutations(range(3)), product((1.0, -1.0), repeat=3)):
        turn = np.eye(3)[:, list(order)] * np.array(signs)
        if np.linalg.det(turn) > 0:
            yield turn
