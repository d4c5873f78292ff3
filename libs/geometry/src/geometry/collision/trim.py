"""Overlapping convex polygons, each cut back to where it is needed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geometry.collision.outlines import Mask, Outline
from geometry.convexity import Array, Indexes

SAME_MM = 1e-6
SPECK_MM2 = 1e-3
"""Polygons smaller than this are left out: no hull can be taken of them."""


@dataclass(frozen=True, eq=False)
class Lines:
    """`normals @ x <= offsets_mm` inside."""

    normals: Array
    """(m, 2)."""
    offsets_mm: Array
    """(m,)."""

    def __add__(self, other: "Lines") -> "Lines":
        """Return both."""
        return Lines(np.vstack([self.normals, other.normals]), np.append(self.offsets_mm, other.offsets_mm))


@dataclass(frozen=True, eq=False)
class FlatRegion:
    """A convex polygon between lines."""

    lines: Lines
    covered: Indexes
    """The targets that lie inside."""


def inside(lines: Lines, points_mm: Array) -> Indexes:
    """Return the indexes (k,) of the points (n, 2) between lines."""
    found = np.arange(len(points_mm))
    for normal, offset in zip(lines.normals, lines.offsets_mm, strict=True):
        found = found[points_mm[found] @ normal <= offset]
    return found


def parted(regions: Sequence[FlatRegion], outline: Outline, parts: Mask, targets_mm: Array) -> list[FlatRegion]:
    """Cut regions that lie along some edges of the outline where those bend, as long as other regions lie behind."""
    times = np.zeros(len(targets_mm), dtype=np.int64)
    for region in regions:
        times[region.covered] += 1
    found: list[FlatRegion] = []
    for region in regions:
        lines, covered = region.lines, region.covered
        for normal, offset in _bends(lines, outline, parts):
            is_kept = targets_mm[covered] @ normal <= offset
            lost = covered[~is_kept]
            if is_kept.any() and (times[lost] > 1).all():
                times[lost] -= 1
                covered = covered[is_kept]
                lines = lines + Lines(normal[None, :], np.array([offset]))
        found.append(FlatRegion(lines, covered))
    return found


def trimmed(
    regions: Sequence[FlatRegion], targets_mm: Array, window: tuple[Array, Array], margin_mm: float
) -> list[Array]:
    """Return the corners (k, 2) of each polygon around the places that it alone has to cover: no sprawling."""
    left = np.ones(len(targets_mm), dtype=np.bool_)
    pieces: list[Array] = []
    for region in sorted(regions, key=lambda each: -len(each.covered)):
        mine = region.covered[left[region.covered]]
        left[mine] = False
        if not len(mine):
            continue
        low = np.maximum(window[0], targets_mm[mine].min(axis=0) - margin_mm)
        high = np.minimum(window[1], targets_mm[mine].max(axis=0) + margin_mm)
        corners = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
        for normal, offset in zip(region.lines.normals, region.lines.offsets_mm, strict=True):
            corners = _clipped(corners, normal, float(offset))
        if _area_mm2(corners) > SPECK_MM2:
            pieces.append(corners)
    return pieces


def _bends(lines: Lines, outline: Outline, parts: Mask) -> list[tuple[Array, float]]:
    """Return the lines that halve the bends at the ends of those parts of the outline that a region lies along."""
    normals, starts, ends = outline.normals, outline.starts_mm, outline.ends_mm
    found: list[tuple[Array, float]] = []
    for normal, offset in zip(lines.normals, lines.offsets_mm, strict=True):
        is_same = parts & (normals @ normal > 1 - SAME_MM) & (np.abs(starts @ normal - offset) < SAME_MM)
        for edge in np.flatnonzero(is_same & (np.abs(ends @ normal - offset) < SAME_MM)):
            along = (ends[edge] - starts[edge]) / np.linalg.norm(ends[edge] - starts[edge])
            for place, way, others in ((ends[edge], along, starts), (starts[edge], -along, ends)):
                other = normals[int(np.argmin(((others - place) ** 2).sum(axis=1)))]
                if other @ way < -SAME_MM:  # the next edge faces back: the material goes on beyond
                    across = np.array([-(normal + other)[1], (normal + other)[0]])
                    across *= np.sign(across @ way) / np.linalg.norm(across)
                    found.append((across, float(across @ place)))
    return found


def _clipped(corners_mm: Array, normal: Array, offset_mm: float) -> Array:
    """Return the corners (m, 2), in order, of the part of a convex polygon (n, 2) where `normal @ x <= offset_mm`."""
    heights = corners_mm @ normal - offset_mm
    places: list[Array] = []
    for index, height in enumerate(heights):
        before = heights[index - 1]
        if (height > 0) != (before > 0):
            share = before / (before - height)
            places.append(corners_mm[index - 1] + share * (corners_mm[index] - corners_mm[index - 1]))
        if height <= 0:
            places.append(corners_mm[index])
    return np.array(places).reshape(-1, 2)


def _area_mm2(corners_mm: Array) -> float:
    x, y = corners_mm.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2)
