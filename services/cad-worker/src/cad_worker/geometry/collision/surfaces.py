"""Points on a mesh, and how far other points are from it."""

from dataclasses import dataclass

import numpy as np

from cad_worker.geometry.convexity import Array, Indexes, Neighbours
from cad_worker.geometry.occt_meshes import TriangleMesh

NEIGHBOURS = 12
"""Samples whose triangles are asked for the nearest point: enough where several faces meet."""
EVEN_STEPS = np.array([0.7548776662466927, 0.5698402909980532])
"""Steps of the plastic number: they never crowd. Source: M. Roberts, the R2 sequence, 2018."""


@dataclass(frozen=True, eq=False)
class SurfacePoints:
    """Places on a surface."""

    places_mm: Array
    """(n, 3)."""
    normals: Array
    """(n, 3), outward."""
    triangles: Indexes
    """(n,): the triangle that each lies on."""


def scattered(mesh: TriangleMesh, count: int, seed: int) -> SurfacePoints:
    """Return `count` random places, evenly by area."""
    random = np.random.default_rng(seed)
    normals, areas = _normals(mesh)
    chosen = random.choice(len(areas), size=count, p=areas / areas.sum())
    return SurfacePoints(_on_triangles(mesh.corners_mm[chosen], random.random((count, 2))), normals[chosen], chosen)


def spaced(mesh: TriangleMesh, spacing_mm: float) -> SurfacePoints:
    """Return places about `spacing_mm` apart, spread evenly over every triangle, one at least on each."""
    normals, areas = _normals(mesh)
    counts = np.maximum(1, np.ceil(areas / spacing_mm**2)).astype(np.int64)
    chosen = np.repeat(np.arange(len(areas)), counts)
    turns = np.arange(len(chosen))[:, None] - np.repeat(np.cumsum(counts) - counts, counts)[:, None]
    shares = (0.5 + turns * EVEN_STEPS) % 1.0
    return SurfacePoints(_on_triangles(mesh.corners_mm[chosen], shares), normals[chosen], chosen)


class SignedDistance:
    """How far points are outside (positive) or inside (negative) a closed mesh."""

    def __init__(self, mesh: TriangleMesh, spacing_mm: float) -> None:
        """Prepare; exact where samples `spacing_mm` apart find the nearest triangle."""
        self._corners = mesh.corners_mm
        self._normals, _ = _normals(mesh)
        self._samples = spaced(mesh, spacing_mm)
        self._neighbours = Neighbours(self._samples.places_mm)

    def __call__(self, points_mm: Array) -> Array:
        """Return (n,) for points (n, 3)."""
        return self.feet(points_mm)[0]

    def feet(self, points_mm: Array) -> tuple[Array, Array, Array]:
        """Return distances (n,), the nearest places on the mesh (n, 3) and its normals there (n, 3)."""
        triangles = self._samples.triangles[self._neighbours.nearest(points_mm, NEIGHBOURS)]
        points = np.broadcast_to(points_mm[:, None, :], (*triangles.shape, 3))
        feet = _nearest_on(self._corners[triangles], points)
        lengths = np.linalg.norm(points - feet, axis=2)
        heights = np.einsum("nki,nki->nk", points - feet, self._normals[triangles])
        # of triangles that share the nearest point, the one that faces the point most tells the side
        tied = lengths <= lengths.min(axis=1, keepdims=True) + 1e-7
        best = np.argmax(np.where(tied, np.abs(heights), -1.0), axis=1)
        rows = np.arange(len(points_mm))
        distances = np.copysign(lengths[rows, best], heights[rows, best])
        return distances, feet[rows, best], self._normals[triangles[rows, best]]


def _normals(mesh: TriangleMesh) -> tuple[Array, Array]:
    first, second, third = mesh.corners_mm.transpose(1, 0, 2)
    crossed = np.cross(second - first, third - first)
    lengths = np.linalg.norm(crossed, axis=1)
    return crossed / np.maximum(lengths, 1e-300)[:, None], lengths / 2


def _on_triangles(corners: Array, shares: Array) -> Array:
    """Return one place on each of (n, 3, 3) corners; evenly by area if the shares (n, 2) are even in 0 to 1."""
    first, second = shares[:, :1], shares[:, 1:]
    root = np.sqrt(first)
    return (1 - root) * corners[:, 0] + root * (1 - second) * corners[:, 1] + root * second * corners[:, 2]


def _nearest_on(corners: Array, points: Array) -> Array:
    """Return the place (..., 3) on each triangle (..., 3, 3) that is nearest to each point (..., 3)."""
    best = _nearest_inside(corners, points)
    length = np.linalg.norm(points - best, axis=-1)
    for start, end in ((0, 1), (1, 2), (2, 0)):
        place = _nearest_on_edge(corners[..., start, :], corners[..., end, :], points)
        distance = np.linalg.norm(points - place, axis=-1)
        nearer = ~(length <= distance)  # also where the triangle has no inside
        best = np.where(nearer[..., None], place, best)
        length = np.where(nearer, distance, length)
    return best


def _nearest_inside(corners: Array, points: Array) -> Array:
    """Return the foot of the perpendicular where it lies in the triangle, else infinity."""
    origin, along, across = corners[..., 0, :], corners[..., 1, :], corners[..., 2, :]
    along, across = along - origin, across - origin
    normal = np.cross(along, across)
    square = np.maximum((normal**2).sum(-1), 1e-300)
    offset = points - origin
    u = (np.cross(offset, across) * normal).sum(-1) / square
    v = (np.cross(along, offset) * normal).sum(-1) / square
    inside = (u >= 0) & (v >= 0) & (u + v <= 1)
    foot = origin + u[..., None] * along + v[..., None] * across
    return np.where(inside[..., None], foot, np.inf)


def _nearest_on_edge(start: Array, end: Array, points: Array) -> Array:
    along = end - start
    share = ((points - start) * along).sum(-1) / np.maximum((along**2).sum(-1), 1e-300)
    return start + np.clip(share, 0, 1)[..., None] * along
