"""Where the shaft of a motor is, found in the shape of its housing alone: what a script says of it is not heard."""

from collections.abc import Iterator
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
from parts_catalog.hardware.lookup import Housing

SAME_MM = 1e-3


@dataclass(frozen=True, eq=False)
class Shaft:
    """The axis of a motor's shaft."""

    point_mm: FloatArray
    """Where it leaves the housing."""
    direction: FloatArray
    """Unit vector out of the housing."""


def shafts_of(solid: Solid, housing: Housing) -> list[Shaft]:
    """Return every place where the shaft may be: a plain housing looks the same from several sides.

    Empty if the solid is not the housing.
    """
    found = exact_primitive(solid)
    if isinstance(found, BoxGeom) and housing.shape == "box":
        own, size = matrix_of(found.quaternion), np.array(found.size_mm)
    elif isinstance(found, CylinderGeom) and housing.shape == "cylinder":
        own, size = matrix_of(found.quaternion), np.array((2 * found.radius_mm, 2 * found.radius_mm, found.length_mm))
    else:
        return []
    wanted, center = np.array(housing.size_mm), np.array(housing.center_mm)
    return [
        Shaft(np.array(found.center_mm) - own @ turn @ center, own @ turn[:, 2])
        for turn in _turns()
        if np.allclose(np.abs(turn.T) @ size, wanted, rtol=0, atol=SAME_MM)
    ]


def misalignment(shaft: Shaft, point_mm: Vector, axis: Vector) -> tuple[float, float]:
    """Return how far a shaft's line passes a point, in mm, and the angle between line and axis, in degrees."""
    across = np.cross(np.array(point_mm) - shaft.point_mm, shaft.direction)
    unit = np.array(axis) / np.linalg.norm(axis)
    sine = min(1.0, float(np.linalg.norm(np.cross(shaft.direction, unit))))
    return float(np.linalg.norm(across)), degrees(asin(sine))


def _turns() -> Iterator[FloatArray]:
    """Yield the 24 rotations that map the axes onto each other: columns are the housing's x, y, z."""
    for order, signs in product(permutations(range(3)), product((1.0, -1.0), repeat=3)):
        turn = np.eye(3)[:, list(order)] * np.array(signs)
        if np.linalg.det(turn) > 0:
            yield turn
