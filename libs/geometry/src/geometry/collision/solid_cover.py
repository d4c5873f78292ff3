"""A cover of a solid by few overlapping convex regions, up to its surface."""

from dataclasses import dataclass, replace

import numpy as np
from build123d import Solid

from geometry.arrays import FloatArray, IntArray
from geometry.collision.containment import Hull
from geometry.collision.region_growth import (
    GrowthDomain,
    Obstacles,
    Region,
    indexes_inside,
    region_between,
    separate,
    trim,
)
from geometry.collision.set_cover import needed_covers
from geometry.collision.signed_distance import SignedDistance
from geometry.collision.surface_sampling import SurfacePoints, sample_evenly
from geometry.occt.meshes import TriangleMesh, closed_mesh
from geometry.spatial import convex_hull

SEED = 5
SAMPLES = 15_000
MIN_SPACING_MM, MAX_SPACING_MM = 0.3, 1.0
TRIALS = 3
"""Regions grown for each one that is kept."""
CORRECTIONS = 15
"""How often a region that protrudes from the solid is grown again, with the protruding points as obstacles."""
LAYERS = (1, 10, 30, 100)
"""Depths of the targets, in tolerances, each with a quarter of the targets of the layer before."""
MARGIN_MM = 2.0
"""Overlap of regions."""
MAX_HULL_PLANES = 500
"""Of the solid's convex hull on the fine mesh; a rounder hull is computed from a coarser mesh."""
HULL_MARGIN_MM = 0.02
"""Least depth of seeds inside the hull."""
LEFT_OVER = 5e-4
"""Share of the targets that may stay uncovered: specks between regions."""


@dataclass(frozen=True)
class Closeness:
    """How closely regions follow the surface."""

    clear_mm: float
    """No region contains a point this far outside."""
    lift_mm: float
    """Distance of the planes outside the surface: hollows take fewer and larger regions, and get narrower by it."""
    depth_mm: float
    """Every point this far inside is covered."""
    protrusion_mm: float
    """Largest protrusion of a region that is accepted."""


def cover_solid(solid: Solid, closeness: Closeness, limit: int) -> list[FloatArray]:
    """Return the corners (k, 3) of at most `limit` overlapping convex regions that fill the solid.

    If the limit is reached they do not fill it: measure their deviation.
    """
    return _Cover(solid, closeness).pieces(limit)


class _Cover:
    def __init__(self, solid: Solid, closeness: Closeness) -> None:
        self._closeness = closeness
        mesh = closed_mesh(solid, closeness.clear_mm / 4, 0.25)
        points = sample_evenly(mesh, _spacing_mm(mesh))
        self._distance = SignedDistance(mesh, MAX_SPACING_MM)
        hull_normals, hull_offsets, _ = convex_hull(mesh.vertices_mm)
        if len(hull_offsets) > MAX_HULL_PLANES:
            coarse = closed_mesh(solid, 0.75 * closeness.depth_mm, 0.35)
            hull_normals, hull_offsets, _ = convex_hull(coarse.vertices_mm)
        self._domain = GrowthDomain(
            _obstacles(points, self._distance, closeness, hull_normals, hull_offsets),
            _targets(points, self._distance, closeness.depth_mm, hull_normals, hull_offsets),
            hull_normals,
            hull_offsets,
        )
        self._random = np.random.default_rng(SEED)

    def pieces(self, limit: int) -> list[FloatArray]:
        """Return the corners of the regions that are needed, each no larger than necessary."""
        targets = self._domain.targets_mm
        regions = self._regions(limit)
        kept = [regions[index] for index in needed_covers([region.covered for region in regions], len(targets))]
        left = np.ones(len(targets), dtype=np.bool_)
        pieces: list[FloatArray] = []
        for region in sorted(kept, key=lambda each: -len(each.covered)):
            own = region.covered[left[region.covered]]
            left[own] = False
            if len(own):
                pieces.append(trim(region, targets[own], MARGIN_MM))
        return pieces

    def _regions(self, limit: int) -> list[Region]:
        regions: list[Region] = []
        count = len(self._domain.targets_mm)
        uncovered = np.arange(count)
        while len(uncovered) > LEFT_OVER * count and len(regions) < limit:
            regions.append(self._best_region(uncovered))
            uncovered = np.setdiff1d(uncovered, regions[-1].covered, assume_unique=True)
        return regions

    def _best_region(self, uncovered: IntArray) -> Region:
        seeds = self._random.choice(uncovered, size=min(TRIALS, len(uncovered)), replace=False)
        targets = self._domain.targets_mm
        trials = (separate(targets[seed], self._domain, uncovered) for seed in seeds)
        planes = max(trials, key=lambda each: len(each.gained))
        region = region_between(planes, self._domain)
        for _ in range(CORRECTIONS):
            protruding = self._protruding(region)
            if protruding is None:
                break
            self._domain = replace(self._domain, obstacles=self._domain.obstacles + protruding)
            region = region_between(separate(planes.seed_mm, self._domain, uncovered), self._domain)
        return region

    def _protruding(self, region: Region) -> Obstacles | None:
        """Return the points at which a region protrudes too far from the solid."""
        points = Hull.around(region.corners_mm).surface_points(100, self._random)
        heights, nearest, normals = self._distance.outside(points, self._closeness.protrusion_mm)
        out = heights > self._closeness.protrusion_mm
        if not out.any():
            return None
        return Obstacles(points[out], nearest[out] + self._closeness.lift_mm * normals[out], normals[out])


def _spacing_mm(mesh: TriangleMesh) -> float:
    first, second, third = mesh.corners_mm.transpose(1, 0, 2)
    area = float(np.linalg.norm(np.cross(second - first, third - first), axis=1).sum() / 2)
    return float(np.clip(np.sqrt(area / SAMPLES), MIN_SPACING_MM, MAX_SPACING_MM))


def _obstacles(
    points: SurfacePoints, distance: SignedDistance, closeness: Closeness, normals: FloatArray, offsets: FloatArray
) -> Obstacles:
    clear_mm = closeness.clear_mm
    probes = points.points_mm + clear_mm * points.normals
    kept = indexes_inside(probes, normals, offsets)  # no region contains anything outside the hull
    kept = kept[distance(probes[kept]) > 0.9 * clear_mm]  # a point in a neighbouring wall is not an obstacle
    touched = points.points_mm[kept] + closeness.lift_mm * points.normals[kept]
    return Obstacles(probes[kept], touched, points.normals[kept])


def _targets(
    points: SurfacePoints, distance: SignedDistance, depth_mm: float, normals: FloatArray, offsets: FloatArray
) -> FloatArray:
    layers: list[FloatArray] = []
    for number, factor in enumerate(LAYERS):
        depth = factor * depth_mm
        layer = (points.points_mm - depth * points.normals)[:: 2 * 4**number]
        layers.append(layer[distance(layer) < -0.9 * depth])
    targets = np.vstack(layers)
    return targets[indexes_inside(targets, normals, offsets - HULL_MARGIN_MM)]
