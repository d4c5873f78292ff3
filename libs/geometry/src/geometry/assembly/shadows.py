"""Depths of parts as seen along a direction: which part is in the way of which when it moves straight out."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from geometry.arrays import BoolArray, FloatArray, IntArray
from geometry.collision.surface_sampling import sample_evenly
from geometry.occt.meshes import TriangleMesh

LEAST_SLOPE = 0.05
"""Cosine between view and normal; steeper faces are seen edge-on, and others end where they do."""
IN_THE_WAY_MM = 0.3
"""Material that overlaps by less along the motion merely touches."""
SNAP_MM = 1.2
"""An overlap that is narrower across the motion is play, a snap or a thread."""
LEAST_SEEN = 0.88
"""Share of the pixels of a square that is in the way: samples may miss one of nine."""


@dataclass(frozen=True, eq=False)
class SampledPart:
    """Points on the surface of a part."""

    points_mm: FloatArray
    """(n, 3)."""
    normals: FloatArray
    """(n, 3), outward."""

    @classmethod
    def of(cls, mesh: TriangleMesh, pixel_mm: float) -> "SampledPart":
        """Sample a mesh densely enough for pixels of this size."""
        sampled = sample_evenly(mesh, 0.6 * pixel_mm)
        return cls(sampled.points_mm, sampled.normals)


@dataclass(frozen=True, eq=False)
class _Depths:
    """The lowest and highest depth of a part in each pixel of its rectangle."""

    low: FloatArray
    """(w, h): infinite where there is nothing."""
    high: FloatArray
    """(w, h): minus infinite where there is nothing."""
    start: tuple[int, int]
    """Pixel of the first corner."""


def blocking(parts: Sequence[SampledPart], direction: FloatArray, pixel_mm: float) -> BoolArray:
    """Return a matrix (n, n): whether the first part is in the way when the second moves out along a direction."""
    window = 2 + ceil(SNAP_MM / pixel_mm)  # both edges of an overlap may only touch their pixels
    depths = [_depths(part, direction, pixel_mm) for part in parts]
    found = np.zeros((len(parts), len(parts)), dtype=np.bool_)
    for i, above in enumerate(depths):
        for j, below in enumerate(depths):
            found[i, j] = i != j and _is_in_the_way(above, below, window)
    return found


def _depths(part: SampledPart, direction: FloatArray, pixel_mm: float) -> _Depths:
    z = direction / np.linalg.norm(direction)
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    frame = np.column_stack([x, np.cross(z, x), z])
    normals = part.normals @ frame
    seen = np.abs(normals[:, 2]) >= LEAST_SLOPE
    places, normals = (part.points_mm[seen] @ frame), normals[seen]
    pixels = np.floor(places[:, :2] / pixel_mm).astype(np.int64)
    offset = places[:, :2] - (pixels + 0.5) * pixel_mm
    # the depth of the tangent plane in the middle of the pixel: a slope alone is not an overlap
    depth = places[:, 2] + (offset * normals[:, :2]).sum(axis=1) / normals[:, 2]
    if not len(pixels):
        return _Depths(np.full((1, 1), np.inf), np.full((1, 1), -np.inf), (0, 0))
    start: IntArray = pixels.min(axis=0)
    size: IntArray = pixels.max(axis=0) - start + 1
    index = (pixels[:, 0] - start[0]) * size[1] + pixels[:, 1] - start[1]
    low: FloatArray = np.full(int(size.prod()), np.inf)
    high: FloatArray = np.full(int(size.prod()), -np.inf)
    np.minimum.at(low, index, depth)
    np.maximum.at(high, index, depth)
    shape = (int(size[0]), int(size[1]))
    return _Depths(np.reshape(low, shape), np.reshape(high, shape), (int(start[0]), int(start[1])))


def _is_in_the_way(above: _Depths, below: _Depths, window: int) -> bool:
    x0, y0 = (max(one, other) for one, other in zip(above.start, below.start, strict=True))
    x1 = min(each.start[0] + each.low.shape[0] for each in (above, below))
    y1 = min(each.start[1] + each.low.shape[1] for each in (above, below))
    if min(x1 - x0, y1 - y0) < window:
        return False
    high = above.high[x0 - above.start[0] : x1 - above.start[0], y0 - above.start[1] : y1 - above.start[1]]
    low = below.low[x0 - below.start[0] : x1 - below.start[0], y0 - below.start[1] : y1 - below.start[1]]
    overlaps = (high > low + IN_THE_WAY_MM).astype(np.int8)
    if overlaps.sum() < LEAST_SEEN * window**2:
        return False
    squares = sliding_window_view(overlaps, (window, window)).sum(axis=(2, 3))
    return bool(squares.max() >= LEAST_SEEN * window**2)
