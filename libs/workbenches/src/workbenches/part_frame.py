"""A part's own axes, along which it is clamped, printed or moulded, however it is tilted in the machine."""

import numpy as np
from geometry.arrays import FloatArray
from parts_catalog.pricing.order import Edges

from workbenches.part_mesh import PartMesh

PARALLEL = 0.9998
"""Least cosine between directions that count as one: about a degree."""
LEANING = 0.8
"""Least sine to the first axis of a face that counts as upright: drafted walls do."""


def own_axes(mesh: PartMesh) -> FloatArray:
    """Return unit vectors (3, 3), one in each row, right-handed: how a machinist would clamp the part.

    The first is the direction of the largest flat area, opposite sides together; the second that of the largest flat
    area perpendicular to it. A part without flat faces uses its axes of revolution, or else its principal axes.
    """
    directions, weights = _directions(mesh)
    if not len(directions):
        return _right_handed(_principal_axes(mesh))
    first = directions[int(np.argmax(weights))]
    rejected = directions - np.outer(directions @ first, first)
    lengths = np.linalg.norm(rejected, axis=1)
    upright = lengths > LEANING
    if upright.any():
        merged, areas = _merge(rejected[upright] / lengths[upright][:, None], weights[upright])
        second = merged[int(np.argmax(areas))]
    else:
        second = np.cross(first, np.eye(3)[int(np.argmin(np.abs(first)))])
        second = second / np.linalg.norm(second)
    return _in_world_order(np.array([first, second, np.cross(first, second)]))


def six_directions(axes: FloatArray) -> FloatArray:
    """Return (6, 3): every axis forwards, then every axis backwards."""
    return np.vstack([axes, -axes])


def direction_name(index: int) -> str:
    """Return the name of one of `six_directions`, such as +X."""
    return "+" + "XYZ"[index] if index < 3 else "-" + "XYZ"[index - 3]


def box_edges(size_mm: FloatArray) -> Edges:
    """Return (3,) lengths as floats, as orders and prices have them."""
    x, y, z = (float(edge) for edge in size_mm)
    return x, y, z


def extents_mm(mesh: PartMesh, axes: FloatArray) -> FloatArray:
    """Return (3,): the part's length along each axis."""
    return np.ptp(mesh.vertices_mm @ axes.T, axis=0)


def _directions(mesh: PartMesh) -> tuple[FloatArray, FloatArray]:
    """Return unit vectors (n, 3) and their areas (n,): of the flat faces, or of axes if there are none."""
    kinds = {surface.kind for surface in mesh.surfaces}
    used = ("plane",) if "plane" in kinds else ("cylinder", "cone")
    areas = np.bincount(mesh.face_of, weights=mesh.areas_mm2, minlength=len(mesh.surfaces))
    known = [(surface.axis, area) for surface, area in zip(mesh.surfaces, areas, strict=True) if surface.kind in used]
    axes = [(np.array(axis), float(area)) for axis, area in known if axis is not None]
    return _merge(np.array([axis for axis, _ in axes]).reshape(-1, 3), np.array([area for _, area in axes]))


def _merge(directions: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return each direction once, forwards and backwards being the same, with the sum of its weights."""
    merged, sums, count = np.empty((len(directions), 3)), np.zeros(len(directions)), 0
    for direction, weight in zip(directions, weights, strict=True):
        same = np.flatnonzero(np.abs(merged[:count] @ direction) > PARALLEL)
        if len(same):
            sums[same[0]] += float(weight)
        else:
            merged[count], sums[count] = direction, weight
            count += 1
    return merged[:count], sums[:count]


def _principal_axes(mesh: PartMesh) -> FloatArray:
    offsets = mesh.vertices_mm - mesh.vertices_mm.mean(axis=0)
    return np.linalg.svd(offsets, full_matrices=False)[2]


def _in_world_order(axes: FloatArray) -> FloatArray:
    """Order and orient the axes so that a part that is not tilted keeps the world's x, y and z."""
    order: list[int] = []
    for world in range(3):
        left = [row for row in range(3) if row not in order]
        order.append(max(left, key=lambda row: abs(float(axes[row, world]))))
    ordered = axes[order]
    signs = np.where(np.diag(ordered) < 0, -1.0, 1.0)
    return _right_handed(ordered * signs[:, None])


def _right_handed(axes: FloatArray) -> FloatArray:
    flipped = axes.copy()
    if np.linalg.det(flipped) < 0:
        flipped[2] *= -1
    return flipped
