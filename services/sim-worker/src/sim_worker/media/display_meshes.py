"""The meshes that an animated world is drawn with: unit solids, which are stretched into place, and surfaces."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sim_worker.units import Floats

RINGS, SEGMENTS = 16, 32
CREASE_COSINE = 0.77
"""Triangles that lean further than about 40 degrees from their neighbours have an edge between them."""
NO_AREA_M2 = 1e-16

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Mesh:
    """Triangles with a normal at each corner."""

    places: Floats
    """(n, 3)"""
    normals: Floats
    """(n, 3), unit length"""
    triangles: Indices
    """(m, 3), counter-clockwise seen from outside"""

    def placed(self, stretch: Sequence[float], turn: Floats, center: Floats) -> "Mesh":
        """Return it stretched along its own axes, turned by a matrix (3, 3), and moved."""
        squeezed = self.normals / np.array(stretch)
        normals = squeezed / np.linalg.norm(squeezed, axis=1, keepdims=True)
        return Mesh(self.places * stretch @ turn.T + center, normals @ turn.T, self.triangles)

    def moved(self, by_m: Floats) -> "Mesh":
        """Return it moved."""
        return Mesh(self.places + by_m, self.normals, self.triangles)


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Return meshes as one."""
    firsts = np.cumsum([0, *(len(mesh.places) for mesh in meshes[:-1])])
    return Mesh(
        np.concatenate([mesh.places for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.triangles + first for mesh, first in zip(meshes, firsts, strict=True)]),
    )


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
    return Mesh(np.array(places), np.array(normals), np.array(triangles))


def ball() -> Mesh:
    """Return a ball of diameter 1 round the origin."""
    polar, around = np.meshgrid(
        np.linspace(0, np.pi, RINGS + 1), np.linspace(0, 2 * np.pi, SEGMENTS + 1), indexing="ij"
    )
    normals = np.stack([np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], axis=-1)
    triangles = _woven(RINGS + 1, SEGMENTS + 1)
    corners = normals.reshape(-1, 3)[triangles]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    normals = normals.reshape(-1, 3)
    return Mesh(normals / 2, normals, triangles[areas > 1e-9])  # without those that shrink to nothing at the poles


def cylinder() -> Mesh:
    """Return a cylinder of diameter 1 and length 1 round the origin, along z."""
    angles = np.linspace(0, 2 * np.pi, SEGMENTS + 1)
    rim = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=-1)
    half_up = np.array([0.0, 0.0, 0.5])
    side = Mesh(
        np.concatenate([rim / 2 + half_up, rim / 2 - half_up]),
        np.concatenate([rim, rim]),
        _woven(2, SEGMENTS + 1),
    )
    return joined([side, _cap(rim / 2 + half_up, 1.0), _cap(rim / 2 - half_up, -1.0)])


def _cap(rim: Floats, up: float) -> Mesh:
    """Return the disc within a rim that runs counter-clockwise seen from above."""
    following = np.arange(1, len(rim) - 2)
    fan = np.stack([np.zeros_like(following), following, following + 1], axis=1)
    return Mesh(rim[:-1], np.tile([0.0, 0.0, up], (len(rim) - 1, 1)), fan if up > 0 else fan[:, ::-1])


def _woven(rows: int, columns: int) -> Indices:
    """Return the triangles of a grid of corners whose rows follow each other downwards."""
    corner = np.arange(rows * columns).reshape(rows, columns)
    upper_left, lower_left = corner[:-1, :-1].ravel(), corner[1:, :-1].ravel()
    upper_right, lower_right = corner[:-1, 1:].ravel(), corner[1:, 1:].ravel()
    halves = [
        np.stack([upper_left, lower_left, lower_right], axis=1),
        np.stack([upper_left, lower_right, upper_right], axis=1),
    ]
    return np.concatenate(halves)


def creased(places: Floats, triangles: Indices) -> Mesh:
    """Return a surface (n, 3), (m, 3) that is smooth where its triangles lean but little, and has edges elsewhere."""
    corners = places[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(across, axis=1)
    triangles, across = triangles[sizes > NO_AREA_M2], across[sizes > NO_AREA_M2]
    flat = across / np.linalg.norm(across, axis=1, keepdims=True)
    smooth = np.zeros_like(places)
    for corner in range(3):
        np.add.at(smooth, triangles[:, corner], across)
    lengths = np.linalg.norm(smooth, axis=1, keepdims=True)
    smooth = np.where(lengths > 0, smooth / np.where(lengths > 0, lengths, 1.0), [0.0, 0.0, 1.0])
    is_sharp = np.einsum("tcx,tx->tc", smooth[triangles], flat) < CREASE_COSINE
    split = np.array(triangles)
    split[is_sharp] = len(places) + np.arange(np.count_nonzero(is_sharp))
    own = np.repeat(flat[:, None, :], 3, axis=1)[is_sharp]
    return Mesh(np.concatenate([places, places[triangles[is_sharp]]]), np.concatenate([smooth, own]), split)
