"""Signed distance of points from a closed mesh.

The sign is that of the pseudonormal of the nearest face, edge or corner. Source: J. A. Bærentzen and H. Aanæs, Signed
distance computation using the angle weighted pseudonormal, 2005.
"""

import numpy as np

from geometry.arrays import BoolArray, FloatArray, IntArray, crossed
from geometry.collision.surface_sampling import sample_evenly, triangle_normals
from geometry.occt.meshes import TriangleMesh
from geometry.spatial import NearestNeighbours

NEIGHBOURS = 12
"""Samples whose triangles are searched for the nearest point."""
NEIGHBOURS_IN_DOUBT = 150
CHUNK = 5_000
"""Points per query, which bounds the memory."""
SLIVER_MM = 1e-3
"""Triangles of less height have no reliable normal; they get that of their corners."""
EDGES = ((0, 1), (1, 2), (2, 0))


class SignedDistance:
    """The distance of points outside (positive) or inside (negative) a closed mesh."""

    def __init__(self, mesh: TriangleMesh, spacing_mm: float) -> None:
        """Index the mesh; distances are exact where samples `spacing_mm` apart find the nearest triangle."""
        self._corners = mesh.corners_mm
        self._pseudonormals = _pseudonormals(mesh)
        samples = sample_evenly(mesh, spacing_mm)
        self._triangles = samples.triangles
        self._neighbours = NearestNeighbours(samples.points_mm)

    def __call__(self, points_mm: FloatArray) -> FloatArray:
        """Return (n,) for points (n, 3)."""
        return self._project(points_mm, NEIGHBOURS)[0]

    def outside(self, points_mm: FloatArray, limit_mm: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return distances (n,), the nearest points on the mesh (n, 3) and the mesh's normals there (n, 3).

        Points that seem to be farther outside than the limit are searched again among more neighbours: on long thin
        triangles the nearest one is not always among the first found, and the distance comes out too long.
        """
        distances, nearest, normals = self._project(points_mm, NEIGHBOURS)
        doubtful = np.flatnonzero(distances > limit_mm)
        distances[doubtful], nearest[doubtful], normals[doubtful] = self._project(
            points_mm[doubtful], NEIGHBOURS_IN_DOUBT
        )
        return distances, nearest, normals

    def _project(self, points_mm: FloatArray, neighbours: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        starts = range(0, max(1, len(points_mm)), CHUNK)
        chunks = [self._project_chunk(points_mm[start : start + CHUNK], neighbours) for start in starts]
        distances, nearest, normals = zip(*chunks, strict=True)
        return np.concatenate(distances), np.concatenate(nearest), np.concatenate(normals)

    def _project_chunk(self, points_mm: FloatArray, neighbours: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        triangles = self._triangles[self._neighbours.query(points_mm, neighbours)]
        searched = _first_of_equals(triangles)  # neighbours on a large triangle share it
        points = points_mm[np.nonzero(searched)[0]]
        found, features = _nearest_on(self._corners[triangles[searched]], points)
        rows = np.arange(len(points_mm))
        squares = np.full(searched.shape, np.inf)
        squares[searched] = _square(points - found)
        best = np.argmin(squares, axis=1)
        places = np.zeros(searched.shape, dtype=np.int64)
        places[searched] = np.arange(len(found))
        chosen = places[rows, best]
        offset = points_mm - found[chosen]
        normals = self._pseudonormals[triangles[rows, best], features[chosen]]
        side = np.einsum("ni,ni->n", offset, normals)
        return np.copysign(np.linalg.norm(offset, axis=1), side), found[chosen], normals


def _first_of_equals(numbers: IntArray) -> BoolArray:
    """Return for rows (n, k) where each number occurs in its row for the first time."""
    order = np.argsort(numbers, axis=1, kind="stable")
    ordered = np.take_along_axis(numbers, order, axis=1)
    is_first = np.ones(numbers.shape, dtype=np.bool_)
    np.put_along_axis(is_first, order[:, 1:], ordered[:, 1:] != ordered[:, :-1], axis=1)
    return is_first


def _pseudonormals(mesh: TriangleMesh) -> FloatArray:
    """Return (m, 7, 3): the normals of each triangle's inside, its three edges and its three corners."""
    normals, areas = triangle_normals(mesh)
    vertices = mesh.corners_mm
    longest = np.linalg.norm(vertices - np.roll(vertices, 1, axis=1), axis=2).max(axis=1)
    slivers = 2 * areas < SLIVER_MM * longest
    normals[slivers] = 0.0
    corners = np.zeros((len(mesh.vertices_mm), 3))
    for index in range(3):
        ahead = vertices[:, (index + 1) % 3] - vertices[:, index]
        behind = vertices[:, (index + 2) % 3] - vertices[:, index]
        angles = np.arctan2(np.linalg.norm(crossed(ahead, behind), axis=1), np.einsum("ni,ni->n", ahead, behind))
        np.add.at(corners, mesh.triangles[:, index], angles[:, None] * normals)
    corners = _unit(corners)
    normals[slivers] = _unit(corners[mesh.triangles[slivers]].sum(axis=1))
    edges = _unit(normals[:, None, :] + normals[_across_edges(mesh)])
    return np.concatenate([normals[:, None, :], edges, corners[mesh.triangles]], axis=1)


def _unit(vectors: FloatArray) -> FloatArray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-300)


def _across_edges(mesh: TriangleMesh) -> IntArray:
    """Return (m, 3): the triangle across each edge; the triangle itself where the mesh is open."""
    count = len(mesh.triangles)
    edges = np.stack([mesh.triangles[:, edge] for edge in EDGES], axis=1).reshape(-1, 2)
    size = len(mesh.vertices_mm)
    keys, reverse = edges[:, 0] * size + edges[:, 1], edges[:, 1] * size + edges[:, 0]
    order = np.argsort(keys, kind="stable")
    opposite = order[np.minimum(np.searchsorted(keys[order], reverse), 3 * count - 1)]
    own = np.arange(3 * count)
    return np.where(keys[opposite] == reverse, opposite, own).reshape(count, 3) // 3


def _nearest_on(corners: FloatArray, points: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return for each triangle (n, 3, 3) the point nearest to a point (n, 3), and the feature it is on.

    Features: 0 inside, 1 to 3 on an edge, 4 to 6 at a corner.
    """
    best = _nearest_inside(corners, points)
    features = np.zeros(best.shape[:-1], dtype=np.int64)
    length = _square(points - best)
    for number, (start, end) in enumerate(EDGES):
        on_edge, share = _nearest_on_edge(corners[..., start, :], corners[..., end, :], points)
        distance = _square(points - on_edge)
        nearer = distance < length
        best = np.where(nearer[..., None], on_edge, best)
        length = np.where(nearer, distance, length)
        feature = np.where(share <= 0, 4 + start, np.where(share >= 1, 4 + end, 1 + number))
        features = np.where(nearer, feature, features)
    return best, features


def _square(offsets: FloatArray) -> FloatArray:
    return np.einsum("ni,ni->n", offsets, offsets)


def _nearest_inside(corners: FloatArray, points: FloatArray) -> FloatArray:
    """Return the foot of the perpendicular where it is in the triangle, else a point far away."""
    origin, along, across = corners[..., 0, :], corners[..., 1, :], corners[..., 2, :]
    along, across = along - origin, across - origin
    normal = crossed(along, across)
    square = np.maximum((normal**2).sum(-1), 1e-300)
    offset = points - origin
    u = (crossed(offset, across) * normal).sum(-1) / square
    v = (crossed(along, offset) * normal).sum(-1) / square
    inside = (u >= 0) & (v >= 0) & (u + v <= 1)
    foot = origin + u[..., None] * along + v[..., None] * across
    return np.where(inside[..., None], foot, 1e9)


def _nearest_on_edge(start: FloatArray, end: FloatArray, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    along = end - start
    share = ((points - start) * along).sum(-1) / np.maximum((along**2).sum(-1), 1e-300)
    return start + np.clip(share, 0, 1)[..., None] * along, share
