"""How far points are from a mesh, and on which side.

The side is told by the pseudonormal of the face, edge or corner that is nearest. Source: J. A. Bærentzen and H. Aanæs,
Signed distance computation using the angle weighted pseudonormal, 2005.
"""

import numpy as np

from geometry.collision.surface_points import spaced, triangle_normals
from geometry.convexity import Array, Indexes, Neighbours
from geometry.occt.solid_mesh import TriangleMesh

NEIGHBOURS = 12
"""Samples whose triangles are asked for the nearest point."""
CLOSELY = 150
CHUNK = 5_000
"""Points looked up at once: memory stays bounded."""
SLIVER_MM = 1e-3
"""Triangles less high than this have no normal worth the name; they get that of their corners."""
EDGES = ((0, 1), (1, 2), (2, 0))


class SignedDistance:
    """How far points are outside (positive) or inside (negative) a closed mesh."""

    def __init__(self, mesh: TriangleMesh, spacing_mm: float) -> None:
        """Prepare; exact where samples `spacing_mm` apart find the nearest triangle."""
        self._corners = mesh.corners_mm
        self._pseudonormals = _pseudonormals(mesh)
        samples = spaced(mesh, spacing_mm)
        self._triangles = samples.triangles
        self._neighbours = Neighbours(samples.places_mm)

    def __call__(self, points_mm: Array) -> Array:
        """Return (n,) for points (n, 3)."""
        return self.feet(points_mm)[0]

    def outside(self, points_mm: Array, limit_mm: float) -> tuple[Array, Array, Array]:
        """Return what `feet` does, asking closely about points that seem to be farther outside than a limit.

        On long thin triangles the nearest one is not always among the first found, and distances come out too long.
        """
        distances, feet, normals = self.feet(points_mm)
        doubtful = np.flatnonzero(distances > limit_mm)
        distances[doubtful], feet[doubtful], normals[doubtful] = self.feet(points_mm[doubtful], CLOSELY)
        return distances, feet, normals

    def feet(self, points_mm: Array, neighbours: int = NEIGHBOURS) -> tuple[Array, Array, Array]:
        """Return distances (n,), the nearest places on the mesh (n, 3) and its normals there (n, 3)."""
        starts = range(0, max(1, len(points_mm)), CHUNK)
        found = [self._feet(points_mm[start : start + CHUNK], neighbours) for start in starts]
        distances, feet, normals = zip(*found, strict=True)
        return np.concatenate(distances), np.concatenate(feet), np.concatenate(normals)

    def _feet(self, points_mm: Array, neighbours: int) -> tuple[Array, Array, Array]:
        triangles = self._triangles[self._neighbours.nearest(points_mm, neighbours)]
        rows = np.arange(len(points_mm))
        feet, features = _nearest_on(self._corners[triangles], points_mm[:, None, :])
        offsets = points_mm[:, None, :] - feet
        best = np.argmin(np.einsum("nki,nki->nk", offsets, offsets), axis=1)
        offset = offsets[rows, best]
        normals = self._pseudonormals[triangles[rows, best], features[rows, best]]
        side = np.einsum("ni,ni->n", offset, normals)
        return np.copysign(np.linalg.norm(offset, axis=1), side), feet[rows, best], normals


def _pseudonormals(mesh: TriangleMesh) -> Array:
    """Return (m, 7, 3): of each triangle's inside, its three edges and its three corners."""
    normals, areas = triangle_normals(mesh)
    places = mesh.corners_mm
    longest = np.linalg.norm(places - np.roll(places, 1, axis=1), axis=2).max(axis=1)
    slivers = 2 * areas < SLIVER_MM * longest
    normals[slivers] = 0.0
    corners = np.zeros((len(mesh.vertices_mm), 3))
    for index in range(3):
        ahead = places[:, (index + 1) % 3] - places[:, index]
        behind = places[:, (index + 2) % 3] - places[:, index]
        angles = np.arctan2(np.linalg.norm(np.cross(ahead, behind), axis=1), np.einsum("ni,ni->n", ahead, behind))
        np.add.at(corners, mesh.triangles[:, index], angles[:, None] * normals)
    corners = _unit(corners)
    normals[slivers] = _unit(corners[mesh.triangles[slivers]].sum(axis=1))
    edges = _unit(normals[:, None, :] + normals[_across_edges(mesh)])
    return np.concatenate([normals[:, None, :], edges, corners[mesh.triangles]], axis=1)


def _unit(vectors: Array) -> Array:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-300)


def _across_edges(mesh: TriangleMesh) -> Indexes:
    """Return (m, 3): the triangle on the other side of each edge; itself where the mesh is open."""
    count = len(mesh.triangles)
    edges = np.stack([mesh.triangles[:, edge] for edge in EDGES], axis=1).reshape(-1, 2)
    size = len(mesh.vertices_mm)
    keys, reverse = edges[:, 0] * size + edges[:, 1], edges[:, 1] * size + edges[:, 0]
    order = np.argsort(keys, kind="stable")
    found = order[np.minimum(np.searchsorted(keys[order], reverse), 3 * count - 1)]
    own = np.arange(3 * count)
    return np.where(keys[found] == reverse, found, own).reshape(count, 3) // 3


def _nearest_on(corners: Array, points: Array) -> tuple[Array, Indexes]:
    """Return the place on each triangle (n, k, 3, 3) that is nearest to its point (n, 1, 3), and its feature.

    Features: 0 inside, 1 to 3 on an edge, 4 to 6 at a corner.
    """
    best = _nearest_inside(corners, points)
    features = np.zeros(best.shape[:-1], dtype=np.int64)
    length = _square(points - best)
    for number, (start, end) in enumerate(EDGES):
        place, share = _nearest_on_edge(corners[..., start, :], corners[..., end, :], points)
        distance = _square(points - place)
        nearer = distance < length
        best = np.where(nearer[..., None], place, best)
        length = np.where(nearer, distance, length)
        feature = np.where(share <= 0, 4 + start, np.where(share >= 1, 4 + end, 1 + number))
        features = np.where(nearer, feature, features)
    return best, features


def _square(offsets: Array) -> Array:
    return np.einsum("nki,nki->nk", offsets, offsets)


def _nearest_inside(corners: Array, points: Array) -> Array:
    """Return the foot of the perpendicular where it lies in the triangle, else a place far away."""
    origin, along, across = corners[..., 0, :], corners[..., 1, :], corners[..., 2, :]
    along, across = along - origin, across - origin
    normal = np.cross(along, across)
    square = np.maximum((normal**2).sum(-1), 1e-300)
    offset = points - origin
    u = (np.cross(offset, across) * normal).sum(-1) / square
    v = (np.cross(along, offset) * normal).sum(-1) / square
    inside = (u >= 0) & (v >= 0) & (u + v <= 1)
    foot = origin + u[..., None] * along + v[..., None] * across
    return np.where(inside[..., None], foot, 1e9)


def _nearest_on_edge(start: Array, end: Array, points: Array) -> tuple[Array, Array]:
    along = end - start
    share = ((points - start) * along).sum(-1) / np.maximum((along**2).sum(-1), 1e-300)
    return start + np.clip(share, 0, 1)[..., None] * along, share
