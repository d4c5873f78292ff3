"""Edges between two faces, concave or convex, and the angle by which the faces turn there."""

from dataclasses import dataclass

import numpy as np
from geometry.arrays import FloatArray, IntArray

from workbenches.part_mesh import PartMesh

MERGE_MM = 1e-5
SHARP_DEG = 15.0
"""Faces that turn by less are tangent, such as a fillet and its walls."""


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


def edges_of(mesh: PartMesh) -> list[Edge]:
    """Return one edge for each pair of adjacent faces; concave and convex stretches are edges of their own."""
    first, second, ends = _shared_sides(mesh)
    middles = mesh.vertices_mm[mesh.triangles].mean(axis=1)
    concave = np.einsum("nx,nx->n", middles[second] - middles[first], mesh.normals[first]) > 0
    cosine = np.einsum("nx,nx->n", mesh.normals[first], mesh.normals[second]).clip(-1, 1)
    turns_deg = np.degrees(np.arccos(cosine))
    groups: dict[tuple[int, int, bool], list[int]] = {}
    for segment, (one, other) in enumerate(zip(mesh.face_of[first], mesh.face_of[second], strict=True)):
        key = (int(min(one, other)), int(max(one, other)), bool(concave[segment]))
        groups.setdefault(key, []).append(segment)
    return [_edge(key, ends[segments], turns_deg[segments]) for key, segments in sorted(groups.items())]


def _edge(key: tuple[int, int, bool], ends: FloatArray, turns_deg: FloatArray) -> Edge:
    along = ends[:, 1] - ends[:, 0]
    lengths = np.linalg.norm(along, axis=1)
    longest = int(np.argmax(lengths))
    direction = along[longest] / lengths[longest]
    return Edge(
        faces=(key[0], key[1]),
        is_concave=key[2],
        turn_deg=float(np.average(turns_deg, weights=lengths)),
        direction=direction,
        is_straight=bool((np.abs(along @ direction) > 0.999 * lengths).all()),
        length_mm=float(lengths.sum()),
        middle_mm=ends[longest].mean(axis=0),
        segments_mm=ends,
    )


def _shared_sides(mesh: PartMesh) -> tuple[IntArray, IntArray, FloatArray]:
    """Return pairs of triangles (n,), (n,) of different faces that share a side, and its ends (n, 2, 3)."""
    _, merged = np.unique(np.round(mesh.vertices_mm / MERGE_MM).astype(np.int64), axis=0, return_inverse=True)
    corners = merged.reshape(-1)[mesh.triangles]
    sides = np.sort(
        np.stack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]], axis=1).reshape(-1, 2), axis=1
    )
    owner = np.repeat(np.arange(len(mesh.triangles)), 3)
    order = np.lexsort((sides[:, 1], sides[:, 0]))
    sides, owner = sides[order], owner[order]
    same = (sides[1:] == sides[:-1]).all(axis=1) & (sides[1:, 0] != sides[1:, 1])
    first, second = owner[:-1][same], owner[1:][same]
    apart = mesh.face_of[first] != mesh.face_of[second]
    representative = np.zeros(int(merged.max()) + 1, dtype=np.int64)
    representative[merged.reshape(-1)] = np.arange(len(mesh.vertices_mm))
    ends = mesh.vertices_mm[representative[sides[:-1][same][apart]]]
    return first[apart].astype(np.int64), second[apart].astype(np.int64), ends
