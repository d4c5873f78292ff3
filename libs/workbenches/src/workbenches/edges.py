"""Where two faces meet: which inner edges are sharp."""

from dataclasses import dataclass

import numpy as np

from workbenches.part_mesh import Floats, Ints, PartMesh

MERGE_MM = 1e-5
SHARP_DEG = 15.0
"""Faces that turn by less flow into each other, as a fillet into its walls."""


@dataclass(frozen=True)
class Edge:
    """The edge of two faces."""

    faces: tuple[int, int]
    is_concave: bool
    turn_deg: float
    """Between the outward normals; 0 where the faces flow into each other."""
    direction: Floats
    """(3,), unit vector; of a curved edge that of its longest piece."""
    is_straight: bool
    length_mm: float
    middle_mm: Floats
    """(3,), a place on it."""
    pieces_mm: Floats
    """(n, 2, 3), the ends of the straight pieces that it is drawn with."""


def edges_of(mesh: PartMesh) -> list[Edge]:
    """Return one edge for each pair of faces that meet, concave and convex stretches apart."""
    first, second, ends = _meetings(mesh)
    middles = mesh.vertices_mm[mesh.triangles].mean(axis=1)
    concave = np.einsum("nx,nx->n", middles[second] - middles[first], mesh.normals[first]) > 0
    cosine = np.einsum("nx,nx->n", mesh.normals[first], mesh.normals[second]).clip(-1, 1)
    turns_deg = np.degrees(np.arccos(cosine))
    groups: dict[tuple[int, int, bool], list[int]] = {}
    for piece, (one, other) in enumerate(zip(mesh.face_of[first], mesh.face_of[second], strict=True)):
        key = (int(min(one, other)), int(max(one, other)), bool(concave[piece]))
        groups.setdefault(key, []).append(piece)
    return [_edge(key, ends[pieces], turns_deg[pieces]) for key, pieces in sorted(groups.items())]


def _edge(key: tuple[int, int, bool], ends: Floats, turns_deg: Floats) -> Edge:
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
        pieces_mm=ends,
    )


def _meetings(mesh: PartMesh) -> tuple[Ints, Ints, Floats]:
    """Return pairs of triangles (n,), (n,) of different faces that share an edge, and its ends (n, 2, 3)."""
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
