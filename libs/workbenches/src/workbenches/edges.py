"""Edges between two faces, concave or convex, and the angle by which the faces turn there."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from geometry.arrays import FloatArray, IntArray

from workbenches.part_mesh import PartMesh

MERGE_MM = 1e-5
STRAIGHT_RAD = 0.09
"""By how much the tangent of an edge turns that counts as straight."""
SMOOTH = 0.01
"""Sine of the angle by which faces turn that are tangent but for rounding."""
SMOOTH_DEG = 0.6
SHARP_DEG = 15.3
"""Faces that turn by less are tangent, such as a fillet and its walls, or the sides of a regular polygon of 24."""


@dataclass(frozen=True)
class Edge:
    """An edge between two faces."""

    faces: tuple[int, int]
    is_concave: bool
    turn_deg: float
    """Between the outward normals; 0 where the faces are tangent."""
    direction: FloatArray
    """(3,), unit vector; of the longest segment of a curved edge."""
    is_straight: bool
    length_mm: float
    middle_mm: FloatArray
    """(3,), a point on the edge."""
    segments_mm: FloatArray
    """(n, 2, 3), the ends of its straight segments."""
    normals: FloatArray
    """(2, 3), of each of its faces beside it, outwards; of a curved edge the mean."""

    def joins(self, faces: tuple[int, int]) -> bool:
        """Tell whether it is an edge of these two faces, in either order."""
        return self.faces == (min(faces), max(faces))

    @property
    def circle(self) -> tuple[FloatArray, float]:
        """Centre (3,) and radius in mm of the circle through the ends of a curved edge's segments, by least squares."""
        points = self.segments_mm.reshape(-1, 3)
        middle = points.mean(axis=0)
        _, _, ways = np.linalg.svd(points - middle)
        flat = (points - middle) @ ways[:2].T
        terms = np.column_stack([2 * flat, np.ones(len(flat))])
        found: FloatArray = np.linalg.pinv(terms) @ (flat**2).sum(axis=1)
        return middle + found[:2] @ ways[:2], float(np.sqrt(found[2] + found[:2] @ found[:2]))

    def points_mm(self, count: int) -> FloatArray:
        """Return points (n, 3) along a straight edge, each in the middle of as long a piece of it."""
        along = self.segments_mm @ self.direction
        low, high = along.min(axis=1), along.max(axis=1)
        order = np.argsort(low, kind="stable")
        ends: FloatArray = np.cumsum((high - low)[order])
        lengths = (np.arange(count) + 0.5) / count * float(ends[-1])
        piece = np.minimum(np.searchsorted(ends, lengths), len(order) - 1)
        places = high[order][piece] - (ends[piece] - lengths)
        return self.middle_mm + np.outer(places - self.middle_mm @ self.direction, self.direction)


@lru_cache(maxsize=2)
def edges_of(mesh: PartMesh) -> list[Edge]:
    """Return one edge for each pair of adjacent faces; concave and convex stretches are edges of their own."""
    first, second, corners = _shared_sides(mesh)
    ends = mesh.vertices_mm[corners[:, 0]]
    middles = ends.mean(axis=1)
    (points, normals), (other_points, others) = (
        mesh.exact_points(triangles, mesh.parameters[corners[:, side]].mean(axis=1), middles)
        for side, triangles in enumerate((first, second))
    )
    along = ends[:, 1] - ends[:, 0]
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-30)[:, None]
    bulges_mm = np.maximum(*(np.linalg.norm(each - middles, axis=1) for each in (points, other_points)))
    concave = np.einsum("nx,nx->n", others, np.cross(normals, along)) > SMOOTH
    turns_deg = np.degrees(np.arccos(np.einsum("nx,nx->n", normals, others).clip(-1, 1)))
    groups: dict[tuple[int, int, bool], list[int]] = {}
    for segment, (one, other) in enumerate(zip(mesh.face_of[first], mesh.face_of[second], strict=True)):
        key = (int(min(one, other)), int(max(one, other)), bool(concave[segment]))
        groups.setdefault(key, []).append(segment)
    return [
        _edge(
            key,
            ends[segments],
            turns_deg[segments],
            np.stack([normals[segments], others[segments]]),
            bulges_mm[segments],
        )
        for key, segments in sorted(groups.items())
    ]


@lru_cache(maxsize=2)
def whole_surfaces(mesh: PartMesh) -> Sequence[frozenset[int]]:
    """Return each face alone, and free-form faces that go on smoothly in others together: OCCT cannot merge these."""
    groups = [{face} for face in range(len(mesh.surfaces))]
    for edge in edges_of(mesh):
        one, other = (groups[face] for face in edge.faces)
        free = all(mesh.surfaces[face].kind == "other" for face in edge.faces)
        if free and edge.turn_deg < SMOOTH_DEG and one is not other:
            one |= other
            for face in other:
                groups[face] = one
    return [frozenset(group) for face, group in enumerate(groups) if face == min(group)]


def _edge(
    key: tuple[int, int, bool], ends: FloatArray, turns_deg: FloatArray, normals: FloatArray, bulges_mm: FloatArray
) -> Edge:
    along = ends[:, 1] - ends[:, 0]
    lengths = np.linalg.norm(along, axis=1)
    longest = int(np.argmax(lengths))
    direction = along[longest] / lengths[longest]
    return Edge(
        faces=(key[0], key[1]),
        is_concave=key[2],
        turn_deg=float(np.average(turns_deg, weights=lengths)),
        direction=direction,
        is_straight=_turn_rad(along / lengths[:, None], 8 * bulges_mm / lengths) < STRAIGHT_RAD,
        length_mm=float(lengths.sum()),
        middle_mm=ends[longest].mean(axis=0),
        segments_mm=ends,
        normals=np.average(normals, axis=1, weights=lengths),
    )


def _turn_rad(along: FloatArray, turns_rad: FloatArray) -> float:
    """Return by how much the tangent turns over segments along unit vectors (n, 3), each of which turns itself (n,)."""

    def angles(number: int) -> FloatArray:
        return np.arcsin(np.linalg.norm(np.cross(along, along[number]), axis=1).clip(0, 1))

    last = int(np.argmax(angles(0)))
    return float((angles(last) + (turns_rad + turns_rad[last]) / 2).max())


def _shared_sides(mesh: PartMesh) -> tuple[IntArray, IntArray, IntArray]:
    """Return pairs of triangles (n,), (n,) of different faces that share a side, and its corners (n, 2, 2).

    The corners are vertices of the first triangle in its order, and those of the second at the same places.
    """
    _, merged = np.unique(np.round(mesh.vertices_mm / MERGE_MM).astype(np.int64), axis=0, return_inverse=True)
    places = merged.reshape(-1)
    corners = np.stack([mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]], axis=1)
    corners = corners.reshape(-1, 2)
    sides = np.sort(places[corners], axis=1)
    order = np.lexsort((sides[:, 1], sides[:, 0]))
    sides, corners, owner = sides[order], corners[order], np.repeat(np.arange(len(mesh.triangles)), 3)[order]
    same = (sides[1:] == sides[:-1]).all(axis=1) & (sides[1:, 0] != sides[1:, 1])
    apart = same & (mesh.face_of[owner[1:]] != mesh.face_of[owner[:-1]])
    one, other = corners[:-1][apart], corners[1:][apart]
    is_reversed = places[one[:, 0]] != places[other[:, 0]]
    other[is_reversed] = other[is_reversed][:, ::-1]
    pairs = owner[:-1][apart].astype(np.int64), owner[1:][apart].astype(np.int64)
    return *pairs, np.stack([one, other], axis=1).astype(np.int64)
