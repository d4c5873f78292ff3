"""As few convex polygons as fill an area up to its edges; they overlap.

Each grows from a seed: the edge that is nearest, among those that still cross the polygon, is cut off by a line along
it or across the way to it; so on until none crosses. No polygon leaves the area.
"""

import numpy as np

from geometry.collision.outlines import Mask, Outline
from geometry.collision.selection import needed
from geometry.collision.trim import FlatRegion, Lines, inside, parted, trimmed
from geometry.convexity import Array, hull_of

SEED = 5
TRIALS = 8
"""Polygons grown for each one that is kept."""
GRID = 1500
"""Places inside the area that are to be covered."""
ALONG_MM = 0.5
"""Between places along the edges that are to be covered."""
EDGE_SAMPLES = 6000
"""Places along the edges at most."""
CLEAR_MM = 1e-6
"""An edge that reaches less far into a polygon does not cross it."""


def flat_cover(outline: Outline, depth_mm: float, limit: int, parts: Mask | None = None) -> list[Array]:
    """Return the corners (k, 2), in order, of convex polygons that fill an area up to `depth_mm` from its edges.

    `limit` of them at most: if that is reached, they do not fill it. Along those edges of
    the outline that are parts, polygons end where it bends instead of reaching over each other.
    """
    targets = _targets(outline, depth_mm)
    kept = _needed_regions(outline, targets, limit)
    if parts is not None:
        kept = parted(kept, outline, parts, targets)
    return trimmed(kept, targets, _window(outline), float(np.sqrt(outline.area_mm2 / GRID)) + ALONG_MM)


def _needed_regions(outline: Outline, targets: Array, limit: int) -> list[FlatRegion]:
    hull = _hull(outline)
    random = np.random.default_rng(SEED)
    waiting = np.arange(len(targets))
    grown: list[FlatRegion] = []
    while len(waiting) and len(grown) < limit:
        seeds = random.choice(waiting, size=min(TRIALS, len(waiting)), replace=False)
        tried = [_grown(outline, targets[seed], targets[waiting], hull) for seed in seeds]
        best = max(tried, key=lambda lines: len(inside(lines, targets[waiting])))
        grown.append(FlatRegion(best, inside(best, targets)))
        waiting = np.setdiff1d(waiting, grown[-1].covered, assume_unique=True)
    return [grown[index] for index in needed([region.covered for region in grown], len(targets))]


def _targets(outline: Outline, depth_mm: float) -> Array:
    along = outline.ends_mm - outline.starts_mm
    lengths = np.linalg.norm(along, axis=1)
    spacing = max(ALONG_MM, float(lengths.sum()) / EDGE_SAMPLES)
    counts = np.maximum(2, np.ceil(lengths / spacing)).astype(np.int64)
    chosen = np.repeat(np.arange(len(counts)), counts)
    turns = np.arange(len(chosen)) - np.repeat(np.cumsum(counts) - counts, counts)
    shares = ((turns + 0.5) / counts[chosen])[:, None]
    near = outline.starts_mm[chosen] + shares * along[chosen] - depth_mm * outline.normals[chosen]
    low, high = _window(outline)
    step = float(np.sqrt(outline.area_mm2 / GRID))
    rows, columns = (np.arange(low[axis] + step / 2, high[axis], step, dtype=np.float64) for axis in (0, 1))
    grid = np.column_stack([np.repeat(rows, len(columns)), np.tile(columns, len(rows))])
    places = np.vstack([near, grid])
    return places[outline.holds(places, 0.9 * depth_mm)]


def _window(outline: Outline) -> tuple[Array, Array]:
    return outline.starts_mm.min(axis=0), outline.starts_mm.max(axis=0)


def _hull(outline: Outline) -> Lines:
    normals, offsets, _ = hull_of(outline.starts_mm)
    return Lines(normals, offsets)


def _grown(outline: Outline, seed: Array, wanted: Array, hull: Lines) -> Lines:
    """Cut all edges off around a seed (2,); `wanted` targets decide where a cut can be made in two ways."""
    spans = _Spans(outline)
    for normal, offset in zip(hull.normals, hull.offsets_mm, strict=True):
        spans.cut(normal, float(offset))
    normals, offsets = [*hull.normals], [*hull.offsets_mm]
    while (found := spans.nearest(seed)) is not None:
        edge, place = found
        normal, offset = _line(outline, edge, place, seed, wanted)
        spans.cut(normal, offset)
        normals.append(normal)
        offsets.append(offset)
        wanted = wanted[wanted @ normal <= offset]
    return Lines(np.array(normals), np.array(offsets))


def _line(outline: Outline, edge: int, place: Array, seed: Array, wanted: Array) -> tuple[Array, float]:
    across = (place - seed) / np.linalg.norm(place - seed)
    across_offset = float(across @ place)
    normal = outline.normals[edge]
    offset = float(normal @ outline.starts_mm[edge])
    if normal @ seed >= offset - CLEAR_MM:
        return across, across_offset
    left = np.count_nonzero(wanted @ normal <= offset), np.count_nonzero(wanted @ across <= across_offset)
    return (normal, offset) if left[0] >= left[1] else (across, across_offset)


class _Spans:
    """What of each edge still crosses a polygon that gets smaller."""

    def __init__(self, outline: Outline) -> None:
        self._starts = outline.starts_mm
        self._along = outline.ends_mm - outline.starts_mm
        self._from, self._to = np.zeros(len(self._starts)), np.ones(len(self._starts))

    def cut(self, normal: Array, offset: float) -> None:
        """Keep what lies more than `CLEAR_MM` inside a line."""
        heights = self._starts @ normal - offset + CLEAR_MM
        slopes = self._along @ normal
        is_level = np.abs(slopes) < CLEAR_MM * 1e-3
        shares = -heights / np.where(is_level, 1.0, slopes)
        self._to = np.where(~is_level & (slopes > 0), np.minimum(self._to, shares), self._to)
        self._from = np.where(~is_level & (slopes < 0), np.maximum(self._from, shares), self._from)
        self._to[is_level & (heights >= 0)] = -1.0

    def nearest(self, seed: Array) -> tuple[int, Array] | None:
        """Return the edge of which something is left nearest to a seed, and the place there."""
        alive = np.flatnonzero(self._to - self._from > 0)
        if not len(alive):
            return None
        starts, along = self._starts[alive], self._along[alive]
        shares = np.einsum("ni,ni->n", seed - starts, along) / np.einsum("ni,ni->n", along, along)
        places = starts + np.clip(shares, self._from[alive], self._to[alive])[:, None] * along
        best = int(np.argmin(((places - seed) ** 2).sum(axis=1)))
        return int(alive[best]), places[best]
