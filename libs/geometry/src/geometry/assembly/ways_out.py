"""Whether a part can be moved out from among others by any motions without turning, found on a grid."""

# pyright: basic, reportMissingTypeStubs=false
# scipy ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from contracts.models.scene import BoxGeom, CylinderGeom, Geom, SphereGeom
from scipy.ndimage import label
from scipy.signal import fftconvolve

from geometry.arrays import BoolArray, FloatArray, IntArray
from geometry.collision.containment import ConvexBody, Hull, convex_body, is_inside

PLAY_MM = 0.3
"""The part is thinner by this on every side: what only touches it does not hold it."""
FINEST_MM, COARSEST_MM = 0.5, 1.5
"""Sizes of the grid's cells; in a coarser one thin walls would be lost."""
MOST_CELLS = 1_500_000

Extent = tuple[FloatArray, FloatArray]
"""The lowest and the highest corner (3,) of a box around something."""


def has_way_out(part: Sequence[Geom], part_box: Extent, others: Sequence[Geom], others_box: Extent) -> bool:
    """Tell whether a part, given as convex shapes, can be moved away from others; True where they are too large to say.

    All translations at which it overlaps the others come from one convolution of the two grids; a way out is a chain of
    free neighbours from its own place to one beyond the others.
    """
    sizes = part_box[1] - part_box[0] + others_box[1] - others_box[0]
    cell = max(FINEST_MM, float((sizes.prod() / MOST_CELLS) ** (1 / 3)))
    if cell > COARSEST_MM:
        return True
    moved = _cells([_thinner(convex_body(each)) for each in part], part_box, cell, others_box[0])
    fixed = _cells([convex_body(each) for each in others], others_box, cell, others_box[0])
    overlap = fftconvolve(fixed.astype(np.float32), moved[::-1, ::-1, ::-1].astype(np.float32))
    hit = np.pad(overlap > 0.5, 1)  # beyond the edge it is away from the others
    first, *_ = _grid(part_box, cell, others_box[0])
    here = tuple((first + np.array(moved.shape)).tolist())
    if any(not 0 <= place < size for place, size in zip(here, hit.shape, strict=True)) or hit[here]:
        return True
    regions = cast("tuple[IntArray, int]", label(~hit))[0]
    return bool(regions[here] == regions[0, 0, 0])


def _grid(box: Extent, cell: float, origin: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the first cell of a box, counted from an origin, and its number of cells."""
    first = np.floor((box[0] - origin) / cell).astype(np.int64)
    return first, np.maximum(1, np.ceil((box[1] - origin) / cell).astype(np.int64) - first)


def _cells(bodies: Sequence[ConvexBody], box: Extent, cell: float, origin: FloatArray) -> BoolArray:
    """Return which cells of a box have their middle inside one of the bodies."""
    first, count = _grid(box, cell, origin)
    axes = [origin[axis] + (first[axis] + np.arange(count[axis]) + 0.5) * cell for axis in range(3)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    filled = np.zeros(len(points), dtype=np.bool_)
    for body in bodies:
        open_cells = np.flatnonzero(~filled)
        filled[open_cells] = is_inside(body, points[open_cells])
    return filled.reshape(count)


def _thinner(body: ConvexBody) -> ConvexBody:
    """Return a body that is thinner by `PLAY_MM` on every side, or very thin."""
    if isinstance(body, Hull):
        return replace(body, offsets_mm=body.offsets_mm - PLAY_MM)
    if isinstance(body, BoxGeom):
        x, y, z = (max(size - 2 * PLAY_MM, 1e-3) for size in body.size_mm)
        return body.model_copy(update={"size_mm": (x, y, z)})
    thin = {"radius_mm": max(body.radius_mm - PLAY_MM, 1e-3)}
    if isinstance(body, SphereGeom):
        return body.model_copy(update=thin)
    return _thinner_cylinder(body, thin)


def _thinner_cylinder(body: CylinderGeom, thin: dict[str, float]) -> CylinderGeom:
    return body.model_copy(update=thin | {"length_mm": max(body.length_mm - 2 * PLAY_MM, 1e-3)})
