"""The few meshes that an animated world is drawn with: unit solids, which nodes stretch into place."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sim_worker.units import Floats

RINGS, SEGMENTS = 16, 32


@dataclass(frozen=True)
class Mesh:
    """Triangles with a normal at each corner."""

    places: Floats
    """(n, 3)"""
    normals: Floats
    """(n, 3), unit length"""
    triangles: NDArray[np.uint16]
    """(m, 3), counter-clockwise seen from outside"""


def cube() -> Mesh:
    """Return a cube of edge 1 round the origin, with sharp edges."""
    places: list[Floats] = []
    normals: list[Floats] = []
    triangles: list[tuple[int, int, int]] = []
    for axis, sign in product(range(3), (-1.0, 1.0)):
        normal = np.eye(3)[axis] * sign
        across = np.eye(3)[(axis + 1) % 3]
        up = np.cross(normal, across)
        first = len(places)
        places += [(normal + a * across + b * up) / 2 for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        normals += [normal] * 4
        triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    return Mesh(np.array(places), np.array(normals), np.array(triangles, dtype=np.uint16))


def ball() -> Mesh:
    """Return a ball of diameter 1 round the origin."""
    polar, around = np.meshgrid(
        np.linspace(0, np.pi, RINGS + 1), np.linspace(0, 2 * np.pi, SEGMENTS + 1), indexing="ij"
    )
    normals = np.stack([np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], axis=-1)
    normals = normals.reshape(-1, 3)
    corner = np.arange((RINGS + 1) * (SEGMENTS + 1)).reshape(RINGS + 1, SEGMENTS + 1)
    upper_left, lower_left = corner[:-1, :-1].ravel(), corner[1:, :-1].ravel()
    upper_right, lower_right = corner[:-1, 1:].ravel(), corner[1:, 1:].ravel()
    halves = [
        np.stack([upper_left, lower_left, lower_right], axis=1),
        np.stack([upper_left, lower_right, upper_right], axis=1),
    ]
    return Mesh(normals / 2, normals, np.concatenate(halves).astype(np.uint16))
