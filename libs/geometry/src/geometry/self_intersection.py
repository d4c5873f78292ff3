"""Solids whose surface runs through itself: OCCT calls them valid, and integrates a wrong volume."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# scipy.spatial has no types; everything that this module exports is typed.

import numpy as np
from build123d import Solid
from contracts.models.geometry import Box, Vector
from scipy.spatial import KDTree

from geometry.arrays import FloatArray, IntArray, as_vector
from geometry.lattice import lattice_points
from geometry.occt.meshes import FaceTriangles, face_meshes

POINTS = 5000
"""On the surface, for each of three directions: what overlaps over less than a few thousandths of it is not found."""
ANGLE_RAD = 0.5
DEFLECTION = 1 / 500
"""Of the solid's diagonal."""
MOST_CONFIRMED = 20


def self_intersection(solid: Solid, bounds: Box) -> Vector | None:
    """Return a point where a closed solid runs through itself; None if it does not."""
    deflection_mm = _diagonal_mm(bounds) * DEFLECTION
    faces = [face for face in face_meshes(solid, deflection_mm, ANGLE_RAD) if len(face.triangles)]
    corners = np.concatenate([face.vertices_mm[face.triangles] for face in faces])
    return overlap_of_triangles(corners, _numbers(faces), bounds)


def overlap_of_triangles(corners_mm: FloatArray, groups: IntArray, bounds: Box) -> Vector | None:
    """Return a point that closed surfaces of triangles (t, 3, 3) enclose twice, or inside out; None without one.

    Along a line, a surface is entered and left in turn. What lies inside twice, or inside out, is confirmed by the
    winding number of the surface about it, so that a line along a face or an edge counts for nothing. A line meets a
    side of two triangles of one group (t,) once.
    """
    corners = corners_mm - bounds.center_mm
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outwards = -1 if np.einsum("nx,nx->", corners[:, 0], normals) < 0 else 1  # a solid may be inside out
    wrong, right = _segments(corners, outwards * normals, groups, 4 * DEFLECTION * _diagonal_mm(bounds))
    order = np.argsort(-np.linalg.norm(wrong[:, 1] - wrong[:, 0], axis=1), kind="stable")[:MOST_CONFIRMED]
    confirmed = [number for number in order if _winding(corners, wrong[number].mean(axis=0)) not in (0, outwards)]
    if not confirmed:
        return None
    ends = wrong.reshape(-1, 3)
    if not len(right):
        return as_vector(wrong[confirmed[0]].mean(axis=0) + bounds.center_mm)
    away, _ = KDTree(right.reshape(-1, 3)).query(ends)  # where it begins to overlap
    return as_vector(ends[int(np.argmin(np.round(away, 6)))] + bounds.center_mm)


def _diagonal_mm(bounds: Box) -> float:
    return float(np.linalg.norm(bounds.size_mm))


def _numbers(faces: list[FaceTriangles]) -> IntArray:
    return np.repeat(np.arange(len(faces)), [len(face.triangles) for face in faces])


def _segments(
    corners: FloatArray, normals: FloatArray, groups: IntArray, least_mm: float
) -> tuple[FloatArray, FloatArray]:
    """Return the stretches (n, 2, 3) of lines that lie inside twice or inside out, and those that lie inside once."""
    spacing = np.full(len(corners), float(np.sqrt(np.linalg.norm(normals, axis=1).sum() / 2 / POINTS)))
    wrong: list[FloatArray] = []
    right: list[FloatArray] = []
    for axis in range(3):
        found = lattice_points(corners, axis, spacing, groups)
        points = np.einsum("nc,ncx->nx", found.weights, corners[found.triangles])
        order = np.lexsort((points[:, axis], found.lines[:, 1], found.lines[:, 0]))
        lines, points = found.lines[order], points[order]
        turns = -np.sign(normals[found.triangles[order], axis])
        depth = np.cumsum(turns)
        same = (lines[1:] == lines[:-1]).all(axis=1)
        starts = np.concatenate([[0], np.flatnonzero(~same) + 1])
        before = np.concatenate([[0.0], depth[starts[1:] - 1]])
        depth = depth - np.repeat(before, np.diff(np.concatenate([starts, [len(depth)]])))
        long = same & (points[1:, axis] - points[:-1, axis] > least_mm)
        stretches = np.stack([points[:-1], points[1:]], axis=1)
        wrong.append(stretches[long & ~np.isin(depth[:-1], (0, 1))])
        right.append(stretches[long & (depth[:-1] == 1)])
    return np.concatenate(wrong), np.concatenate(right)


def _winding(corners: FloatArray, point: FloatArray) -> int:
    """Return how often a closed surface of triangles (t, 3, 3) encloses a point (van Oosterom and Strackee, 1983)."""
    first, second, third = np.moveaxis(corners - point, 1, 0)
    lengths = [np.linalg.norm(side, axis=1) for side in (first, second, third)]
    above = np.einsum("nx,nx->n", first, np.cross(second, third))
    below = lengths[0] * lengths[1] * lengths[2]
    for one, other, length in ((first, second, lengths[2]), (second, third, lengths[0]), (third, first, lengths[1])):
        below = below + np.einsum("nx,nx->n", one, other) * length
    return round(float(np.arctan2(above, below).sum() / (2 * np.pi)))
