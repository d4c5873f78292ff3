"""Growth of convex regions inside a solid, each from a seed until the surface stops it.

A region starts as the solid's convex hull. The nearest obstacle, a point just outside the solid, is cut off by a plane
that touches the surface there, until the region contains no obstacle. Where the surface is concave such a plane is in
the material: a bore never gets narrower. After R. Deits and R. Tedrake, Computing large convex regions of obstacle-free
space, 2015, with a ball instead of their ellipsoid.
"""

from dataclasses import dataclass

import numpy as np

from geometry.arrays import FloatArray, IntArray
from geometry.spatial import halfspace_corners

SEED_MARGIN_MM = 0.02
"""Least distance of a plane from the seed."""

MAX_CORNERS = 900
"""Of a region; a geom may have a thousand."""


@dataclass(frozen=True, eq=False)
class Obstacles:
    """Points just outside a solid that no region may contain."""

    probes_mm: FloatArray
    """(n, 3)."""
    surface_mm: FloatArray
    """(n, 3): the point on the surface that each belongs to."""
    normals: FloatArray
    """(n, 3): of the surface, outward."""

    def __add__(self, other: "Obstacles") -> "Obstacles":
        return Obstacles(
            np.vstack([self.probes_mm, other.probes_mm]),
            np.vstack([self.surface_mm, other.surface_mm]),
            np.vstack([self.normals, other.normals]),
        )


@dataclass(frozen=True, eq=False)
class GrowthDomain:
    """The obstacles, targets and convex hull of a solid in which regions grow."""

    obstacles: Obstacles
    targets_mm: FloatArray
    """(n, 3): points in the material that regions must cover."""
    hull_normals: FloatArray
    hull_offsets_mm: FloatArray
    """Of the solid's convex hull."""


@dataclass(frozen=True, eq=False)
class SeparatingPlanes:
    """The planes between a seed and the obstacles around it."""

    seed_mm: FloatArray
    """(3,)."""
    normals: FloatArray
    """(m, 3), outward."""
    offsets_mm: FloatArray
    """(m,): `normals @ x <= offsets_mm` inside."""
    gained: IntArray
    """Indexes of the uncovered targets inside."""


@dataclass(frozen=True, eq=False)
class Region:
    """A convex polyhedron."""

    corners_mm: FloatArray
    """(k, 3)."""
    normals: FloatArray
    """(m, 3), outward."""
    offsets_mm: FloatArray
    """(m,): `normals @ x <= offsets_mm` inside."""
    seed_mm: FloatArray
    """A point well inside."""
    covered: IntArray
    """Indexes of the targets inside."""


def region_between(planes: SeparatingPlanes, domain: GrowthDomain) -> Region:
    """Return the part of the solid's convex hull between planes."""
    low, high = domain.targets_mm.min(axis=0) - 10.0, domain.targets_mm.max(axis=0) + 10.0
    normals = np.vstack([np.eye(3), -np.eye(3), planes.normals])
    offsets = np.concatenate([high, -low, planes.offsets_mm])
    corners = halfspace_corners(normals, offsets, planes.seed_mm)
    # planes of the hull that no corner violates would change nothing
    cutting = (corners @ domain.hull_normals.T > domain.hull_offsets_mm).any(axis=0)
    normals = np.vstack([domain.hull_normals[cutting], planes.normals])
    offsets = np.concatenate([domain.hull_offsets_mm[cutting], planes.offsets_mm])
    return Region(
        corners_mm=halfspace_corners(normals, offsets, planes.seed_mm),
        normals=normals,
        offsets_mm=offsets,
        seed_mm=planes.seed_mm,
        # all targets are inside the hull
        covered=indexes_inside(domain.targets_mm, planes.normals, planes.offsets_mm),
    )


def trim(region: Region, own_targets_mm: FloatArray, margin_mm: float) -> FloatArray:
    """Return the corners (k, 3) of the part of a region around the targets that it alone covers.

    Regions that extend far into each other make physics check contacts that do not exist.
    """
    around = np.vstack([own_targets_mm, region.seed_mm])
    axes = np.linalg.svd(around - around.mean(axis=0), full_matrices=False)[2] if len(around) > 3 else np.eye(3)
    spread = around @ axes.T
    normals = np.vstack([axes, -axes, region.normals])
    offsets = np.concatenate([spread.max(axis=0) + margin_mm, margin_mm - spread.min(axis=0), region.offsets_mm])
    corners = halfspace_corners(normals, offsets, region.seed_mm)
    return corners if len(corners) <= MAX_CORNERS else _outermost(corners)


def _outermost(corners: FloatArray) -> FloatArray:
    """Return the corners that are outermost in one of many evenly spread directions: the others hardly matter."""
    turns = np.arange(MAX_CORNERS) + 0.5
    heights, angles = 1 - 2 * turns / MAX_CORNERS, np.pi * (1 + 5**0.5) * turns
    widths = np.sqrt(1 - heights**2)
    directions = np.column_stack([widths * np.cos(angles), widths * np.sin(angles), heights])
    return corners[np.unique(np.argmax(corners @ directions.T, axis=0))]


def separate(seed: FloatArray, domain: GrowthDomain, uncovered: IntArray) -> SeparatingPlanes:
    """Cut off all obstacles around a seed (3,); of two possible cuts, the one that leaves more uncovered targets."""
    obstacles = domain.obstacles
    normals: list[FloatArray] = []
    offsets: list[float] = []
    away = obstacles.probes_mm - seed
    squares = np.einsum("ni,ni->n", away, away)
    alive = np.arange(len(squares))
    while len(alive):
        nearest = int(alive[np.argmin(squares[alive])])
        normal, offset = _plane(obstacles, nearest, seed, domain.targets_mm[uncovered])
        normals.append(normal)
        offsets.append(offset)
        # the nearest obstacle is on or beyond its plane, but for rounding
        alive = alive[(obstacles.probes_mm[alive] @ normal < offset) & (alive != nearest)]
        uncovered = uncovered[domain.targets_mm[uncovered] @ normal < offset]
    return SeparatingPlanes(seed, np.array(normals).reshape(-1, 3), np.array(offsets), uncovered)


def _plane(obstacles: Obstacles, index: int, seed: FloatArray, targets: FloatArray) -> tuple[FloatArray, float]:
    """Cut off one obstacle: along the surface, or across the line to the seed, whichever leaves more targets."""
    probe, on_surface, normal = (each[index] for each in (obstacles.probes_mm, obstacles.surface_mm, obstacles.normals))
    across = (probe - seed) / np.linalg.norm(probe - seed)
    across_offset = float(max(across @ (probe + on_surface) / 2, across @ seed + SEED_MARGIN_MM))
    across_offset = min(across_offset, float(across @ probe))
    along_offset = float(normal @ on_surface)
    if normal @ seed > along_offset - SEED_MARGIN_MM or normal @ probe < along_offset:
        return across, across_offset
    left_along = np.count_nonzero(targets @ normal < along_offset)
    left_across = np.count_nonzero(targets @ across < across_offset)
    return (normal, along_offset) if left_along >= left_across else (across, across_offset)


def indexes_inside(points: FloatArray, normals: FloatArray, offsets: FloatArray) -> IntArray:
    """Return the indexes (k,) of the points (n, 3) inside a polyhedron."""
    inside = np.arange(len(points))
    for normal, offset in zip(normals, offsets, strict=True):
        inside = inside[points[inside] @ normal <= offset]
    return inside
