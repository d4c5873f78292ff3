"""A part's own axes, along which it is clamped, printed or moulded, however it is drawn or tilted in the machine."""

from collections.abc import Sequence

import numpy as np
from build123d import CenterOf, Location, Plane, Solid
from geometry.arrays import FloatArray, as_vector
from geometry.occt.measures import bounds_in_frame
from geometry.occt.surfaces import FaceSurface
from parts_catalog.pricing.order import Edges

PARALLEL = 0.9998
"""Least cosine between directions that count as one: about a degree."""
EXACTLY_PARALLEL = 1 - 1e-10
LEANING = 0.8
"""Least sine to the first axis of a face that counts as upright: drafted walls do."""
LEAST_SHARE = 1e-3
"""Of the surface, of a round face that decides how a part is clamped."""
SAME = 1e-6
"""Relative difference of areas, lengths and moments that are equal."""


def own_axes(solid: Solid, surfaces: Sequence[FaceSurface], areas_mm2: FloatArray) -> FloatArray:
    """Return unit vectors (3, 3), one in each row, right-handed: how a machinist would clamp the part.

    The first is the direction of the largest flat area, opposite sides together; the second that of the largest flat
    area perpendicular to it, or of an axis of revolution. A part without flat faces uses its axes of revolution, or
    else its principal axes. Among equals the one counts along which the part is shorter.
    """
    flat, round_ = (_directions(surfaces, areas_mm2, kinds) for kinds in (("plane",), ("cylinder", "cone")))
    first = _largest(solid, *(flat if len(flat[0]) else round_))
    if first is None:
        return _in_world_order(_principal_axes(solid))
    second = _largest(solid, *_upright(first, *flat))
    if second is None:
        second = _largest(solid, *_upright(first, *round_))
    if second is None:
        second = _aside(solid, first, surfaces, areas_mm2)
    if second is None:
        second = _most_upright(first, _principal_axes(solid))
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


def bounds_mm(solid: Solid, axes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the least and the greatest coordinates (3,) of the exact surface along right-handed axes (3, 3)."""
    plane = Plane(origin=(0, 0, 0), x_dir=as_vector(axes[0]), z_dir=as_vector(axes[2]))
    box = bounds_in_frame(solid, Location(plane))
    if box is None:
        raise ValueError("the solid has no extent")
    return np.array(box.min_mm), np.array(box.max_mm)


def _directions(
    surfaces: Sequence[FaceSurface], areas_mm2: FloatArray, kinds: tuple[str, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return unit vectors (n, 3) and their areas (n,), of the faces of some kinds."""
    known = [(each.axis, area) for each, area in zip(surfaces, areas_mm2, strict=True) if each.kind in kinds]
    axes = [(np.array(axis), float(area)) for axis, area in known if axis is not None]
    return _merged(np.array([axis for axis, _ in axes]).reshape(-1, 3), np.array([area for _, area in axes]))


def _merged(directions: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return directions that differ by more than a degree, forwards and backwards being the same, and their weights.

    Each is the heaviest of those that it stands for, or between the two heaviest if these weigh the same.
    """
    exact, sums = _clusters(directions, weights, EXACTLY_PARALLEL)
    merged, totals = _clusters(exact, sums, PARALLEL)
    for row, middle in enumerate(merged):
        equals = [
            direction * np.sign(direction @ middle)
            for direction, weight in zip(exact, sums, strict=True)
            if abs(direction @ middle) > PARALLEL and _are_same(weight, sums[_place(exact, middle)])
        ]
        merged[row] = np.mean(equals, axis=0) / np.linalg.norm(np.mean(equals, axis=0))
    return merged, totals


def _place(directions: FloatArray, direction: FloatArray) -> int:
    return int(np.argmax(np.abs(directions @ direction)))


def _clusters(directions: FloatArray, weights: FloatArray, least_cosine: float) -> tuple[FloatArray, FloatArray]:
    chosen, sums, count = np.empty((len(directions), 3)), np.zeros(len(directions)), 0
    for number in np.argsort(-weights, kind="stable"):
        same = np.flatnonzero(np.abs(chosen[:count] @ directions[number]) > least_cosine)
        if len(same):
            sums[same[0]] += float(weights[number])
        else:
            chosen[count], sums[count] = directions[number], weights[number]
            count += 1
    return chosen[:count], sums[:count]


def _upright(first: FloatArray, directions: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the directions about perpendicular to the first axis, made exactly so, and their weights."""
    rejected = directions - np.outer(directions @ first, first)
    lengths = np.linalg.norm(rejected, axis=1)
    upright = lengths > LEANING
    return _merged(rejected[upright] / lengths[upright][:, None], weights[upright])


def _largest(solid: Solid, directions: FloatArray, weights: FloatArray) -> FloatArray | None:
    """Return the direction of the largest weight; among equals the one along which the part is shortest."""
    if not len(directions):
        return None
    largest = directions[weights > weights.max() * (1 - SAME)]
    if len(largest) == 1:
        return largest[0]
    lengths = np.array([_length_mm(solid, direction) for direction in largest])
    shortest = largest[lengths < lengths.min() * (1 + SAME)]
    inertia = _inertia(solid)
    moments = np.array([direction @ inertia @ direction for direction in shortest])
    return shortest[int(np.argmax(moments > moments.max() * (1 - SAME)))]


def _aside(
    solid: Solid, first: FloatArray, surfaces: Sequence[FaceSurface], areas_mm2: FloatArray
) -> FloatArray | None:
    """Return the direction from the middle to the round face beside it that weighs most, such as a hole of a flange."""
    middle = np.array(tuple(solid.center(CenterOf.MASS)))
    ways, weights = list[FloatArray](), list[float]()
    for surface, area in zip(surfaces, areas_mm2, strict=True):
        if surface.axis_point_mm is not None and area > LEAST_SHARE * areas_mm2.sum():
            offset = np.array(surface.axis_point_mm) - middle
            offset = offset - first * float(offset @ first)
            distance = float(np.linalg.norm(offset))
            if distance > 1e-3:
                ways.append(offset / distance)
                weights.append(distance * float(area))
    return _largest(solid, np.array(ways), np.array(weights))


def _most_upright(first: FloatArray, principal: FloatArray) -> FloatArray:
    rejected = principal - np.outer(principal @ first, first)
    lengths = np.linalg.norm(rejected, axis=1)
    number = int(np.argmax(lengths))
    return rejected[number] / lengths[number]


def _length_mm(solid: Solid, direction: FloatArray) -> float:
    plane = Plane(origin=(0, 0, 0), z_dir=as_vector(direction))
    low, high = bounds_mm(solid, np.array([tuple(plane.x_dir), tuple(plane.y_dir), tuple(plane.z_dir)]))
    return float(high[2] - low[2])


def _inertia(solid: Solid) -> FloatArray:
    return np.array(solid.matrix_of_inertia)


def _principal_axes(solid: Solid) -> FloatArray:
    return np.linalg.eigh(_inertia(solid))[1].T


def _are_same(one: float, other: float) -> bool:
    return abs(one - other) <= SAME * max(abs(one), abs(other))


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
