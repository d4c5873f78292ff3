"""The weakest plane cuts of a solid: where its section is least along every direction that its own faces have.

Sections at equal distances miss a neck between two of them, and sections along principal axes one that runs another
way. What cuts a solid down to a neck are faces across the neck, or surfaces of revolution about it: their normals and
axes are the directions. Between the heights of two vertices of the triangle mesh, a section changes smoothly, so that a
few cuts of each such interval miss no neck across a direction.
"""

from dataclasses import dataclass

import numpy as np
from build123d import Solid

from geometry.arrays import FloatArray, IntArray, crossed
from geometry.occt.surfaces import axis_of
from geometry.sections.cores import NO_CORE, CoreShares, core_shares

MAX_DIRECTIONS = 14
PER_DIRECTION = 6
MAX_CUTS = 16
PARALLEL = 1 - 1e-7
"""Cosine between directions that count as one: 0.03 degrees, 0.05 mm over 100 mm. A thin gap is missed by more."""
MERGED_MM = 1e-3
"""Heights of vertices that are closer are one."""
PLACES = np.array([0.02, 0.25, 0.5, 0.75, 0.98])
"""Of an interval between two heights, where it is cut."""
WEIGHTS = np.linalg.solve(np.vander(PLACES, increasing=True).T, 1 / np.arange(1.0, 6.0))
"""Of these places in an integral over the interval."""
STRETCH = 2
"""Places with equal sections after the first of a uniform stretch."""
MAX_PAIRS = 1_000_000
"""Of triangles and planes that cut them; beyond, every second height is left out, and so on."""
LEAST_AREA_MM2, LEAST_MODULUS_MM3 = 1e-4, 1e-6
"""Smaller ones are rounding errors of the mesh."""
TIP = 0.5
"""Of a section's thickness: what reaches less far beyond a cut is a dent in the surface, not a part that bends."""
LEAST_DEPTH_MM = 0.3
"""The same, at least."""
HOLLOW = 0.25
"""Of the area within the outlines that holes take, from which a section counts as closed."""
EVEN = 0.7
"""Of a closed section's mean wall that its thinnest one has."""
SAME = 1e-3
"""Values that differ by a smaller share are equal: a uniform stretch is cut at its ends and in its middle."""


@dataclass(frozen=True, eq=False)
class WeakCut:
    """A plane through a solid, and its section there."""

    axis: FloatArray
    """(3,), unit normal."""
    center_mm: FloatArray
    """(3,), centroid."""
    area_mm2: float
    wall_mm: float
    """Twice the area over the length of all outlines."""
    axes: FloatArray
    """(2, 3), principal axes; the least moment is needed to bend it about the first."""
    moduli_mm3: FloatArray
    """(2,), section moduli about the axes."""
    core: CoreShares
    """Of area and second moments, what lies deeper than the shell; nothing without a shell."""
    twist_modulus_mm3: float
    """Torque over the greatest shear stress."""
    beyond_share: float
    """Of the volume that is beyond the plane, along its axis."""
    beyond_center_mm: FloatArray
    """(3,), where that is."""


@dataclass(frozen=True, eq=False)
class _Segments:
    """Edges (n, 2) of sections, with the material on their left, and the number of the section of each."""

    starts: FloatArray
    ends: FloatArray
    sections: IntArray

    @property
    def twice(self) -> FloatArray:
        """(n,) twice the area that each edge spans with the origin."""
        return self.starts[:, 0] * self.ends[:, 1] - self.starts[:, 1] * self.ends[:, 0]

    def of(self, section: int) -> "_Segments":
        chosen = self.sections == section
        return _Segments(self.starts[chosen], self.ends[chosen], self.sections[chosen])


@dataclass(frozen=True, eq=False)
class _Sweep:
    """The sections at `h` heights along a direction."""

    axis: FloatArray
    plane: FloatArray
    """(2, 3), unit vectors across the axis, one a row."""
    ends: tuple[float, float]
    """Of the solid along the axis."""
    heights: FloatArray
    segments: _Segments
    areas: FloatArray
    middles: FloatArray
    """(h, 2), centroids."""
    tensors: FloatArray
    """(h, 2, 2), integrals of u², uv and v² about the centroids."""
    walls: FloatArray
    """(h,) twice the area over the perimeter."""
    beyond: FloatArray
    """(h, 4), volume beyond each height over all of it, and its centroid."""

    @property
    def moduli(self) -> FloatArray:
        """(h,) about the smaller section modulus."""
        least = np.linalg.eigvalsh(self.tensors)[:, 0]
        return np.maximum(least, 0.0) / np.maximum(self.walls, 1e-9)


def weakest_cuts(
    solid: Solid, corners: FloatArray, principal: FloatArray, shell_mm: float | None = None
) -> list[WeakCut]:
    """Return the weakest cuts of a solid, those with the smallest section modulus first.

    `corners` (m, 3, 3): of its closed triangle mesh; `principal` (p, 3): axes of its own, one a row; `shell_mm` of what
    is not solid throughout.
    """
    turned = [np.array(found[1]) for face in solid.faces() if (found := axis_of(face)) is not None]
    ranked: list[tuple[float, int, int, _Sweep]] = []
    for number, axis in enumerate(_directions(corners, np.array([*principal, *turned]))):
        sweep = _swept(corners, axis)
        moduli = sweep.moduli
        ranked += [(float(moduli[index]), number, index, sweep) for index in _weak_places(sweep, moduli)]
    ranked.sort(key=lambda each: each[:3])
    return [_cut(sweep, index, shell_mm) for _, _, index, sweep in ranked[:MAX_CUTS]]


def _directions(corners: FloatArray, known: FloatArray) -> list[FloatArray]:
    """Return unit vectors (3,): the known ones, then the normals of flat faces, the largest faces first."""
    normals = crossed(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    normals, areas = normals[areas > 0] / areas[areas > 0, None], areas[areas > 0]
    largest = np.argmax(np.abs(normals) > 0.5, axis=1)
    signs = np.sign(normals[np.arange(len(normals)), largest])
    upward: FloatArray = np.asarray(np.round(normals * signs[:, None], 6), dtype=np.float64)
    rounded, group = np.unique(upward, axis=0, return_inverse=True)
    order = np.argsort(-np.bincount(group.reshape(-1), areas), kind="stable")[: 4 * MAX_DIRECTIONS]
    found: list[FloatArray] = []
    for each in np.concatenate([known, rounded[order]]):
        axis = each / np.linalg.norm(each)
        if len(found) < MAX_DIRECTIONS and not any(abs(float(axis @ other)) > PARALLEL for other in found):
            found.append(axis)
    return found


def _swept(corners: FloatArray, axis: FloatArray) -> _Sweep:
    """Return the sections of a mesh between all heights of its vertices along an axis."""
    across = crossed(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    across /= np.linalg.norm(across)
    plane = np.array([across, crossed(axis, across)])
    levels = corners @ axis
    heights, steps, triangles, sections = _pairs(levels)
    segments = _segments(corners, plane, (levels, heights), (triangles, sections))
    count, twice, (u1, v1), (u2, v2) = len(heights), segments.twice, segments.starts.T, segments.ends.T
    areas = np.bincount(sections, twice, count) / 2
    safe = np.maximum(areas, LEAST_AREA_MM2)
    middles = np.stack([np.bincount(sections, (a + b) * twice, count) for a, b in ((u1, u2), (v1, v2))], axis=1)
    middles /= 6 * safe[:, None]
    uu, vv = (np.bincount(sections, (a * a + a * b + b * b) * twice, count) / 12 for a, b in ((u1, u2), (v1, v2)))
    uv = np.bincount(sections, (u1 * v2 + 2 * u1 * v1 + 2 * u2 * v2 + u2 * v1) * twice, count) / 24
    about_origin = np.stack([np.stack([uu, uv], axis=1), np.stack([uv, vv], axis=1)], axis=1)
    tensors = about_origin - areas[:, None, None] * middles[:, :, None] * middles[:, None, :]
    lengths = np.bincount(sections, np.linalg.norm(segments.ends - segments.starts, axis=1), count)
    places = np.concatenate([middles, heights[:, None]], axis=1) @ np.array([*plane, axis])
    beyond = _beyond(areas * np.tile(WEIGHTS, len(steps)) * np.repeat(steps, len(PLACES)), places)
    walls = 2 * areas / np.maximum(lengths, 1e-9)
    ends = (float(levels.min()), float(levels.max()))
    return _Sweep(axis, plane, ends, heights, segments, areas, middles, tensors, walls, beyond)


def _pairs(levels: FloatArray) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return heights (h,), steps between vertices (s,), and triangles and heights that meet (n,) each."""
    edges: FloatArray = np.unique(np.round(levels / MERGED_MM)) * MERGED_MM
    lowest: FloatArray = levels.min(axis=1)
    highest: FloatArray = levels.max(axis=1)
    while True:
        heights: FloatArray = (edges[:-1, None] + np.diff(edges)[:, None] * PLACES).reshape(-1)
        first = np.asarray(np.searchsorted(heights, lowest), dtype=np.int64)
        counts: IntArray = np.asarray(np.searchsorted(heights, highest), dtype=np.int64) - first
        if int(counts.sum()) <= MAX_PAIRS or len(edges) <= len(PLACES):
            break
        edges = np.append(edges[:-1:2], edges[-1])
    triangles = np.repeat(np.arange(len(levels)), counts)
    within = np.arange(len(triangles)) - np.repeat(np.cumsum(counts) - counts, counts)
    return heights, np.diff(edges), triangles, first[triangles] + within


def _segments(
    corners: FloatArray, plane: FloatArray, along: tuple[FloatArray, FloatArray], pairs: tuple[IntArray, IntArray]
) -> _Segments:
    """Return where triangles meet planes; `along`: corners (m, 3) and planes (h,), `pairs`: triangles and planes."""
    (levels, planes), (triangles, sections) = along, pairs
    heights = planes[sections]
    order = np.argsort(levels, axis=1)
    ordered: FloatArray = np.take_along_axis(levels, order, axis=1)[triangles]
    low, middle, high = ordered[:, 0], ordered[:, 1], ordered[:, 2]
    flat: FloatArray = np.take_along_axis(corners @ plane.T, order[:, :, None], axis=1)[triangles]
    share = ((heights - low) / (high - low))[:, None]
    first = flat[:, 0] + share * (flat[:, 2] - flat[:, 0])
    is_low = heights < middle
    gap: FloatArray = np.where(is_low, middle - low, high - middle)
    other: FloatArray = np.where(is_low, heights - low, heights - middle) / np.where(gap > 0, gap, 1.0)
    start: FloatArray = np.where(is_low[:, None], flat[:, 0], flat[:, 1])
    second: FloatArray = start + other[:, None] * (np.where(is_low[:, None], flat[:, 1], flat[:, 2]) - start)
    normals = crossed(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) @ plane.T
    forward = np.stack([-normals[:, 1], normals[:, 0]], axis=1)[triangles]
    along_edge: FloatArray = ((second - first) * forward).sum(axis=1)
    swap = along_edge[:, None] < 0
    return _Segments(np.where(swap, second, first), np.where(swap, first, second), sections)


def _beyond(volumes: FloatArray, places: FloatArray) -> FloatArray:
    """Return (h, 4) shares of the volume beyond each height, and its centroids."""
    weighted = np.concatenate([volumes[:, None], volumes[:, None] * places], axis=1)
    sums = np.cumsum(weighted[::-1], axis=0)[::-1] - weighted / 2
    return np.concatenate([sums[:, :1] / volumes.sum(), sums[:, 1:] / np.maximum(sums[:, :1], 1e-12)], axis=1)


def _weak_places(sweep: _Sweep, moduli: FloatArray) -> list[int]:
    """Return the heights at which area or modulus is least, the weakest first."""
    depth, (start, end) = np.maximum(TIP * sweep.walls, LEAST_DEPTH_MM), sweep.ends
    is_inside = (sweep.heights - start >= depth) & (end - sweep.heights >= depth)
    is_inside &= (sweep.areas > LEAST_AREA_MM2) & (moduli > LEAST_MODULUS_MM3)
    found: set[int] = set()
    for values in (sweep.areas, moduli):
        for first, last in _valleys(values):
            found |= {first, (first + last) // 2, last}
    inside = [index for index in found if is_inside[index]]
    return sorted(inside, key=lambda index: (float(moduli[index]), index))[:PER_DIRECTION]


def _valleys(values: FloatArray) -> list[tuple[int, int]]:
    """Return first and last index of each stretch of equal values that is not above its neighbours.

    One that ends the solid is longer than a single place: the tip of a wedge is not a neck.
    """
    starts = np.flatnonzero(np.append(True, np.abs(np.diff(values)) > SAME * values[1:]))
    lasts = np.append(starts[1:] - 1, len(values) - 1)
    before = np.append(np.inf, values[lasts[:-1]])
    after = np.append(values[starts[1:]], np.inf)
    is_low = (values[starts] <= before) & (values[lasts] <= after)
    is_low &= (lasts - starts >= STRETCH) | (np.isfinite(before) & np.isfinite(after))
    return [(int(first), int(last)) for first, last in zip(starts[is_low], lasts[is_low], strict=True)]


def _cut(sweep: _Sweep, index: int, shell_mm: float | None) -> WeakCut:
    spreads, columns = np.linalg.eigh(sweep.tensors[index])
    segments = sweep.segments.of(index)
    starts, ends = ((each - sweep.middles[index]) @ columns for each in (segments.starts, segments.ends))
    area, wall = float(sweep.areas[index]), float(sweep.walls[index])
    return WeakCut(
        axis=sweep.axis,
        center_mm=sweep.middles[index] @ sweep.plane + sweep.heights[index] * sweep.axis,
        area_mm2=area,
        wall_mm=wall,
        axes=(columns.T @ sweep.plane)[::-1],
        moduli_mm3=spreads / np.abs(starts).max(axis=0),
        twist_modulus_mm3=_twist_modulus(area, wall, float(spreads.sum()), segments),
        core=core_shares(starts, ends, shell_mm) if shell_mm else NO_CORE,
        beyond_share=float(sweep.beyond[index, 0]),
        beyond_center_mm=sweep.beyond[index, 1:],
    )


def _twist_modulus(area: float, wall: float, polar: float, segments: _Segments) -> float:
    """Return the torque over the greatest shear stress of a section.

    Solid and open sections by Saint-Venant's approximation A⁴ / (40 Ip), at most that of strips of the mean wall; from
    1 % too strong to 27 % too weak against circle, square and rectangles. Closed ones by Bredt.
    """
    solid = min(area**4 / (43 * polar), area * wall**2 / 2) / (1.35 * wall)
    outlines = _loop_areas(segments)
    within, holes = outlines[outlines > 0].sum(), -outlines[outlines < 0].sum()
    if holes < HOLLOW * within:
        return solid
    return max(solid, EVEN * wall * (within + holes))


def _loop_areas(segments: _Segments) -> FloatArray:
    """Return the signed areas of the closed outlines: those of holes are negative."""
    points = np.concatenate([segments.starts, segments.ends])
    _, number = np.unique(np.round(points / (10 * MERGED_MM)), axis=0, return_inverse=True)
    first, second = number.reshape(2, -1)
    labels = np.arange(int(number.max()) + 1)
    while True:
        least = np.minimum(labels[first], labels[second])
        known = labels.copy()
        np.minimum.at(labels, first, least)
        np.minimum.at(labels, second, least)
        labels = labels[labels]
        if np.array_equal(known, labels):
            break
    _, loops = np.unique(labels[first], return_inverse=True)
    return np.bincount(loops.reshape(-1), segments.twice) / 2
