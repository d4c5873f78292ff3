"""A cover of an area by few overlapping convex polygons, none of which leaves the area.

Each polygon grows from a seed: the nearest edge that still crosses it is cut off, by a line along the edge or across
the way to it, until none crosses. Redundant polygons are dropped, and the others trimmed to what they alone cover.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from geometry.arrays import BoolArray, FloatArray, IntArray
from geometry.collision.outlines import Outline
from geometry.collision.set_cover import needed_covers
from geometry.spatial import convex_hull

SEED = 5
TRIALS = 8
"""Polygons grown for each one that is kept."""
GRID = 1500
"""Number of targets inside the area."""
ALONG_MM = 0.5
"""Distance between targets along the edges."""
EDGE_TARGETS = 6000
"""Largest number of targets along the edges."""
CLEAR_MM = 1e-6
"""An edge that reaches less far into a polygon does not cross it."""
SAME_MM = 1e-6
SPECK_MM2 = 1e-3
"""Smaller polygons are dropped: they have no convex hull."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Half planes: `normals @ x <= offsets_mm` inside."""

    normals: FloatArray
    """(m, 2)."""
    offsets_mm: FloatArray
    """(m,)."""

    def __add__(self, other: "Lines") -> "Lines":
        return Lines(np.vstack([self.normals, other.normals]), np.append(self.offsets_mm, other.offsets_mm))


@dataclass(frozen=True, eq=False)
class FlatRegion:
    """A convex polygon between lines."""

    lines: Lines
    covered: IntArray
    """Indexes of the targets inside."""


def cover_polygon(outline: Outline, depth_mm: float, limit: int, sloped: BoolArray | None = None) -> list[FloatArray]:
    """Return the corners (k, 2), in order, of convex polygons that fill an area up to `depth_mm` from its edges.

    There are at most `limit` of them; if that is reached, they do not fill it. At edges of the outline that are
    `sloped`, polygons end where the outline bends instead of extending past each other.
    """
    targets = _targets(outline, depth_mm)
    kept = _needed_regions(outline, targets, limit)
    if sloped is not None:
        kept = _split_at_bends(kept, outline, sloped, targets)
    return _trim(kept, targets, _window(outline), float(np.sqrt(outline.area_mm2 / GRID)) + ALONG_MM)


def _needed_regions(outline: Outline, targets: FloatArray, limit: int) -> list[FlatRegion]:
    hull = _hull(outline)
    random = np.random.default_rng(SEED)
    uncovered = np.arange(len(targets))
    grown: list[FlatRegion] = []
    while len(uncovered) and len(grown) < limit:
        seeds = random.choice(uncovered, size=min(TRIALS, len(uncovered)), replace=False)
        candidates = [_grow(outline, targets[seed], targets[uncovered], hull) for seed in seeds]
        best = max(candidates, key=lambda lines: len(_inside(lines, targets[uncovered])))
        grown.append(FlatRegion(best, _inside(best, targets)))
        uncovered = np.setdiff1d(uncovered, grown[-1].covered, assume_unique=True)
    return [grown[index] for index in needed_covers([region.covered for region in grown], len(targets))]


def _targets(outline: Outline, depth_mm: float) -> FloatArray:
    along = outline.ends_mm - outline.starts_mm
    lengths = np.linalg.norm(along, axis=1)
    spacing = max(ALONG_MM, float(lengths.sum()) / EDGE_TARGETS)
    counts = np.maximum(2, np.ceil(lengths / spacing)).astype(np.int64)
    chosen = np.repeat(np.arange(len(counts)), counts)
    turns = np.arange(len(chosen)) - np.repeat(np.cumsum(counts) - counts, counts)
    shares = ((turns + 0.5) / counts[chosen])[:, None]
    near = outline.starts_mm[chosen] + shares * along[chosen] - depth_mm * outline.normals[chosen]
    low, high = _window(outline)
    step = float(np.sqrt(outline.area_mm2 / GRID))
    rows, columns = (np.arange(low[axis] + step / 2, high[axis], step, dtype=np.float64) for axis in (0, 1))
    grid = np.column_stack([np.repeat(rows, len(columns)), np.tile(columns, len(rows))])
    points = np.vstack([near, grid])
    return points[outline.indexes_inside(points, 0.9 * depth_mm)]


def _window(outline: Outline) -> tuple[FloatArray, FloatArray]:
    return outline.starts_mm.min(axis=0), outline.starts_mm.max(axis=0)


def _hull(outline: Outline) -> Lines:
    normals, offsets, _ = convex_hull(outline.starts_mm)
    return Lines(normals, offsets)


def _inside(lines: Lines, points_mm: FloatArray) -> IntArray:
    """Return the indexes (k,) of the points (n, 2) between lines."""
    inside = np.arange(len(points_mm))
    for normal, offset in zip(lines.normals, lines.offsets_mm, strict=True):
        inside = inside[points_mm[inside] @ normal <= offset]
    return inside


def _grow(outline: Outline, seed: FloatArray, targets: FloatArray, hull: Lines) -> Lines:
    """Cut off all edges around a seed (2,); of two possible cuts, the one that leaves more targets is made."""
    spans = _Spans(outline)
    for normal, offset in zip(hull.normals, hull.offsets_mm, strict=True):
        spans.cut(normal, float(offset))
    normals, offsets = [*hull.normals], [*hull.offsets_mm]
    while (nearest := spans.nearest(seed)) is not None:
        normal, offset = _line(outline, *nearest, seed, targets)
        spans.cut(normal, offset)
        normals.append(normal)
        offsets.append(offset)
        targets = targets[targets @ normal <= offset]
    return Lines(np.array(normals), np.array(offsets))


def _line(
    outline: Outline, edge: int, point: FloatArray, seed: FloatArray, targets: FloatArray
) -> tuple[FloatArray, float]:
    across = (point - seed) / np.linalg.norm(point - seed)
    across_offset = float(across @ point)
    normal = outline.normals[edge]
    offset = float(normal @ outline.starts_mm[edge])
    if normal @ seed >= offset - CLEAR_MM:
        return across, across_offset
    left_along = np.count_nonzero(targets @ normal <= offset)
    left_across = np.count_nonzero(targets @ across <= across_offset)
    return (normal, offset) if left_along >= left_across else (across, across_offset)


class _Spans:
    """The part of each edge that still crosses a shrinking polygon."""

    def __init__(self, outline: Outline) -> None:
        self._starts = outline.starts_mm
        self._along = outline.ends_mm - outline.starts_mm
        self._from, self._to = np.zeros(len(self._starts)), np.ones(len(self._starts))

    def cut(self, normal: FloatArray, offset: float) -> None:
        """Keep the parts more than `CLEAR_MM` inside a line."""
        heights = self._starts @ normal - offset + CLEAR_MM
        slopes = self._along @ normal
        is_level = np.abs(slopes) < CLEAR_MM * 1e-3
        shares = -heights / np.where(is_level, 1.0, slopes)
        self._to = np.where(~is_level & (slopes > 0), np.minimum(self._to, shares), self._to)
        self._from = np.where(~is_level & (slopes < 0), np.maximum(self._from, shares), self._from)
        self._to[is_level & (heights >= 0)] = -1.0

    def nearest(self, seed: FloatArray) -> tuple[int, FloatArray] | None:
        """Return the edge with the part nearest to a seed, and the point there; None if no edge is left."""
        alive = np.flatnonzero(self._to - self._from > 0)
        if not len(alive):
            return None
        starts, along = self._starts[alive], self._along[alive]
        shares = np.einsum("ni,ni->n", seed - starts, along) / np.einsum("ni,ni->n", along, along)
        points = starts + np.clip(shares, self._from[alive], self._to[alive])[:, None] * along
        best = int(np.argmin(((points - seed) ** 2).sum(axis=1)))
        return int(alive[best]), points[best]


def _split_at_bends(
    regions: Sequence[FlatRegion], outline: Outline, sloped: BoolArray, targets_mm: FloatArray
) -> list[FlatRegion]:
    """Cut regions at the bends of the sloped edges that they touch, where other regions cover what is lost."""
    times = np.zeros(len(targets_mm), dtype=np.int64)
    for region in regions:
        times[region.covered] += 1
    result: list[FlatRegion] = []
    for region in regions:
        lines, covered = region.lines, region.covered
        for normal, offset in _bends(lines, outline, sloped):
            is_kept = targets_mm[covered] @ normal <= offset
            lost = covered[~is_kept]
            if is_kept.any() and (times[lost] > 1).all():
                times[lost] -= 1
                covered = covered[is_kept]
                lines = lines + Lines(normal[None, :], np.array([offset]))
        result.append(FlatRegion(lines, covered))
    return result


def _bends(lines: Lines, outline: Outline, sloped: BoolArray) -> list[tuple[FloatArray, float]]:
    """Return the bisecting lines at the ends of those sloped edges that coincide with a region's lines."""
    normals, starts, ends = outline.normals, outline.starts_mm, outline.ends_mm
    bisectors: list[tuple[FloatArray, float]] = []
    for normal, offset in zip(lines.normals, lines.offsets_mm, strict=True):
        is_same = sloped & (normals @ normal > 1 - SAME_MM) & (np.abs(starts @ normal - offset) < SAME_MM)
        for edge in np.flatnonzero(is_same & (np.abs(ends @ normal - offset) < SAME_MM)):
            along = (ends[edge] - starts[edge]) / np.linalg.norm(ends[edge] - starts[edge])
            for point, outward, others in ((ends[edge], along, starts), (starts[edge], -along, ends)):
                other = normals[int(np.argmin(((others - point) ** 2).sum(axis=1)))]
                if other @ outward < -SAME_MM:  # the next edge faces back: the material continues beyond it
                    across = np.array([-(normal + other)[1], (normal + other)[0]])
                    across *= np.sign(across @ outward) / np.linalg.norm(across)
                    bisectors.append((across, float(across @ point)))
    return bisectors


def _trim(
    regions: Sequence[FlatRegion], targets_mm: FloatArray, window: tuple[FloatArray, FloatArray], margin_mm: float
) -> list[FloatArray]:
    """Return the corners (k, 2) of each polygon, cut to the neighbourhood of the targets that it alone covers."""
    left = np.ones(len(targets_mm), dtype=np.bool_)
    pieces: list[FloatArray] = []
    for region in sorted(regions, key=lambda each: -len(each.covered)):
        own = region.covered[left[region.covered]]
        left[own] = False
        if not len(own):
            continue
        low = np.maximum(window[0], targets_mm[own].min(axis=0) - margin_mm)
        high = np.minimum(window[1], targets_mm[own].max(axis=0) + margin_mm)
        corners = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
        for normal, offset in zip(region.lines.normals, region.lines.offsets_mm, strict=True):
            corners = _clip(corners, normal, float(offset))
        if _area_mm2(corners) > SPECK_MM2:
            pieces.append(corners)
    return pieces


def _clip(corners_mm: FloatArray, normal: FloatArray, offset_mm: float) -> FloatArray:
    """Return the corners (m, 2), in order, of the part of a convex polygon (n, 2) where `normal @ x <= offset_mm`."""
    heights = corners_mm @ normal - offset_mm
    clipped: list[FloatArray] = []
    for index, height in enumerate(heights):
        before = heights[index - 1]
        if (height > 0) != (before > 0):
            share = before / (before - height)
            clipped.append(corners_mm[index - 1] + share * (corners_mm[index] - corners_mm[index - 1]))
        if height <= 0:
            clipped.append(corners_mm[index])
    return np.array(clipped).reshape(-1, 2)


def _area_mm2(corners_mm: FloatArray) -> float:
    x, y = corners_mm.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2)
