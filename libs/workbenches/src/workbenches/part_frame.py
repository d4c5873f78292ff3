"""A part's own directions: it may stand tilted in the machine, but on the workbench it lies straight."""

import numpy as np
from contracts.models.geometry import Vector

from workbenches.part_mesh import Floats, PartMesh

PARALLEL = 0.9998
"""Cosine above which directions are one: about a degree."""
LEANING = 0.8
"""Sine to the first axis above which a face counts as upright: drafted walls do."""


def own_axes(mesh: PartMesh) -> Floats:
    """Return unit vectors (3, 3), one in each row, right-handed: how a machinist would clamp the part.

    The first is the direction of the largest flat area, opposite sides together; the second that of the largest flat
    area square to it. What has no flat faces lies along its axes of revolution, else along its principal axes.
    """
    directions, weights = _directions(mesh)
    if not len(directions):
        return _right_handed(_principal_axes(mesh))
    first = directions[int(np.argmax(weights))]
    beside = directions - np.outer(directions @ first, first)
    lengths = np.linalg.norm(beside, axis=1)
    upright = lengths > LEANING
    if upright.any():
        found, areas = _together(beside[upright] / lengths[upright][:, None], weights[upright])
        second = found[int(np.argmax(areas))]
    else:
        second = np.cross(first, np.eye(3)[int(np.argmin(np.abs(first)))])
        second = second / np.linalg.norm(second)
    return _named(np.array([first, second, np.cross(first, second)]))


def six_ways(axes: Floats) -> Floats:
    """Return (6, 3): every axis forwards, then every axis backwards."""
    return np.vstack([axes, -axes])


def way_name(number: int) -> str:
    """Return what the workbenches call one of `six_ways`."""
    return "+" + "XYZ"[number] if number < 3 else "-" + "XYZ"[number - 3]


def extents_mm(mesh: PartMesh, axes: Floats) -> Floats:
    """Return (3,): how long the part is along each axis."""
    return np.ptp(mesh.vertices_mm @ axes.T, axis=0)


def vector_of(place: Floats) -> Vector:
    """Return an array (3,) as the language's vector."""
    x, y, z = (float(value) for value in place)
    return (x, y, z)


def _directions(mesh: PartMesh) -> tuple[Floats, Floats]:
    """Return unit vectors (n, 3) and the area that speaks for each (n,): flat faces first, else axes."""
    kinds = {shape.kind for shape in mesh.shapes}
    wanted = ("plane",) if "plane" in kinds else ("cylinder", "cone")
    areas = np.bincount(mesh.face_of, weights=mesh.areas_mm2, minlength=len(mesh.shapes))
    known = [(shape.axis, area) for shape, area in zip(mesh.shapes, areas, strict=True) if shape.kind in wanted]
    axes = [(np.array(axis), float(area)) for axis, area in known if axis is not None]
    return _together(np.array([axis for axis, _ in axes]).reshape(-1, 3), np.array([area for _, area in axes]))


def _together(directions: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return each direction once, forwards and backwards being one, with all the weight it has."""
    found: list[Floats] = []
    sums: list[float] = []
    for direction, weight in zip(directions, weights, strict=True):
        same = [index for index, known in enumerate(found) if abs(float(known @ direction)) > PARALLEL]
        if same:
            sums[same[0]] += float(weight)
        else:
            found.append(direction)
            sums.append(float(weight))
    return np.array(found).reshape(-1, 3), np.array(sums)


def _principal_axes(mesh: PartMesh) -> Floats:
    places = mesh.vertices_mm - mesh.vertices_mm.mean(axis=0)
    return np.linalg.svd(places, full_matrices=False)[2]


def _named(axes: Floats) -> Floats:
    """Name the axes so that a part that stands straight keeps the world's x, y and z."""
    order: list[int] = []
    for world in range(3):
        left = [row for row in range(3) if row not in order]
        order.append(max(left, key=lambda row: abs(float(axes[row, world]))))
    named = axes[order]
    signs = np.where(np.diag(named) < 0, -1.0, 1.0)
    return _right_handed(named * signs[:, None])


def _right_handed(axes: Floats) -> Floats:
    flipped = axes.copy()
    if np.linalg.det(flipped) < 0:
        flipped[2] *= -1
    return flipped
