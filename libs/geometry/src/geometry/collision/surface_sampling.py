"""Points on the surface of a mesh, at random or evenly spaced."""

from dataclasses import dataclass

import numpy as np

from geometry.arrays import FloatArray, IntArray
from geometry.occt.meshes import TriangleMesh

EVEN_STEPS = np.array([0.7548776662466927, 0.5698402909980532])
"""Low-discrepancy steps of the plastic number. Source: M. Roberts, the R2 sequence, 2018."""


@dataclass(frozen=True, eq=False)
class SurfacePoints:
    """Points on a surface."""

    points_mm: FloatArray
    """(n, 3)."""
    normals: FloatArray
    """(n, 3), outward."""
    triangles: IntArray
    """(n,): the triangle of each point."""


def sample_randomly(mesh: TriangleMesh, count: int, seed: int) -> SurfacePoints:
    """Return `count` random points, evenly by area."""
    random = np.random.default_rng(seed)
    normals, areas = triangle_normals(mesh)
    chosen = random.choice(len(areas), size=count, p=areas / areas.sum())
    return SurfacePoints(_on_triangles(mesh.corners_mm[chosen], random.random((count, 2))), normals[chosen], chosen)


def sample_evenly(mesh: TriangleMesh, spacing_mm: float) -> SurfacePoints:
    """Return points about `spacing_mm` apart, spread evenly over every triangle, at least one on each."""
    normals, areas = triangle_normals(mesh)
    sides = np.linalg.norm(mesh.corners_mm - np.roll(mesh.corners_mm, 1, axis=1), axis=2).max(axis=1)
    counts = np.ceil(np.maximum(areas / spacing_mm**2, sides / spacing_mm)).astype(np.int64)
    chosen = np.repeat(np.arange(len(areas)), counts)
    turns = np.arange(len(chosen))[:, None] - np.repeat(np.cumsum(counts) - counts, counts)[:, None]
    shares = np.asarray((0.5 + turns * EVEN_STEPS) % 1.0, dtype=np.float64)
    return SurfacePoints(_on_triangles(mesh.corners_mm[chosen], shares), normals[chosen], chosen)


def triangle_normals(mesh: TriangleMesh) -> tuple[FloatArray, FloatArray]:
    """Return unit normals (m, 3), outward, and areas (m,)."""
    first, second, third = mesh.corners_mm.transpose(1, 0, 2)
    crossed = np.cross(second - first, third - first)
    lengths = np.linalg.norm(crossed, axis=1)
    return crossed / np.maximum(lengths, 1e-300)[:, None], lengths / 2


def _on_triangles(corners: FloatArray, shares: FloatArray) -> FloatArray:
    """Return one point on each triangle (n, 3, 3); evenly by area if the shares (n, 2) are even in 0 to 1."""
    first, second = shares[:, :1], shares[:, 1:]
    root = np.sqrt(first)
    return (1 - root) * corners[:, 0] + root * (1 - second) * corners[:, 1] + root * second * corners[:, 2]
