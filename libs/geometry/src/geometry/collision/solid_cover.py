"""As few convex regions as fill a solid up to its surface."""

from dataclasses import dataclass, replace

import numpy as np
from build123d import Solid

from geometry.collision.hull import Hull
from geometry.collision.region_growth import Obstacles, Region, Room, bounded, grow, inside, trimmed
from geometry.collision.selection import needed
from geometry.collision.signed_distance import SignedDistance
from geometry.collision.surface_points import SurfacePoints, spaced
from geometry.convexity import Array, Indexes, hull_of
from geometry.occt.solid_mesh import TriangleMesh, mesh_of

SEED = 5
SAMPLES = 15_000
MIN_SPACING_MM, MAX_SPACING_MM = 0.3, 1.0
TRIALS = 3
"""Regions grown for each one that is kept."""
CORRECTIONS = 15
"""How often a region that stands out of the solid is grown anew, with the places where it did as obstacles."""
LAYERS = (1, 10, 30, 100)
"""Depths at which places must be covered, in tolerances, each with a quarter of the places of the one before."""
MARGIN_MM = 2.0
"""How far regions overlap."""
MAX_HULL_PLANES = 500
"""Of the solid's convex hull on the fine mesh; a rounder one is taken from a coarser mesh."""
HULL_MARGIN_MM = 0.02
"""How far inside the hull seeds must lie."""
LEFT_OVER = 5e-4
"""Share of the targets that may stay uncovered: specks between regions."""


@dataclass(frozen=True)
class Closeness:
    """How near regions have to come to the surface."""

    clear_mm: float
    """No region holds a place this far outside."""
    lift_mm: float
    """How far outside the planes touch: hollow surfaces take fewer and larger regions, and get narrower by so much."""
    depth_mm: float
    """Every place this far inside is covered."""
    protrusion_mm: float
    """No region was seen to stand out farther."""


def cover(solid: Solid, closeness: Closeness, limit: int) -> list[Array]:
    """Return the corners (k, 3) of convex regions that overlap and fill the solid; `limit` of them at most.

    If the limit is reached they do not fill it: measure them.
    """
    return _Covering(solid, closeness).pieces(limit)


class _Covering:
    def __init__(self, solid: Solid, closeness: Closeness) -> None:
        self._closeness = closeness
        mesh = mesh_of(solid, closeness.clear_mm / 4, 0.25)
        points = spaced(mesh, _spacing_mm(mesh))
        self._distance = SignedDistance(mesh, MAX_SPACING_MM)
        hull_normals, hull_offsets, _ = hull_of(mesh.vertices_mm)
        if len(hull_offsets) > MAX_HULL_PLANES:
            hull_normals, hull_offsets, _ = hull_of(mesh_of(solid, 0.75 * closeness.depth_mm, 0.35).vertices_mm)
        self._room = Room(
            _obstacles(points, self._distance, closeness, hull_normals, hull_offsets),
            _targets(points, self._distance, closeness.depth_mm, hull_normals, hull_offsets),
            hull_normals,
            hull_offsets,
        )
        self._random = np.random.default_rng(SEED)

    def pieces(self, limit: int) -> list[Array]:
        """Return the corners of the regions that are needed, each no larger than it is needed."""
        targets = self._room.targets_mm
        regions = self._regions(limit)
        kept = [regions[index] for index in needed([region.covered for region in regions], len(targets))]
        left = np.ones(len(targets), dtype=np.bool_)
        pieces: list[Array] = []
        for region in sorted(kept, key=lambda each: -len(each.covered)):
            mine = region.covered[left[region.covered]]
            left[mine] = False
            if len(mine):
                pieces.append(trimmed(region, targets[mine], MARGIN_MM))
        return pieces

    def _regions(self, limit: int) -> list[Region]:
        found: list[Region] = []
        count = len(self._room.targets_mm)
        waiting = np.arange(count)
        while len(waiting) > LEFT_OVER * count and len(found) < limit:
            best = self._best(waiting)
            found.append(best)
            waiting = np.setdiff1d(waiting, best.covered, assume_unique=True)
        return found

    def _best(self, waiting: Indexes) -> Region:
        seeds = self._random.choice(waiting, size=min(TRIALS, len(waiting)), replace=False)
        targets = self._room.targets_mm
        growth = max((grow(self._room, targets[seed], waiting) for seed in seeds), key=lambda each: len(each.gained))
        region = bounded(self._room, growth)
        for _ in range(CORRECTIONS):
            more = self._protruding(region)
            if more is None:
                break
            self._room = replace(self._room, obstacles=self._room.obstacles + more)
            region = bounded(self._room, grow(self._room, growth.seed_mm, waiting))
        return region

    def _protruding(self, region: Region) -> Obstacles | None:
        """Return the places at which a region stands out of the solid too far."""
        places = Hull.around(region.corners_mm).places(100, self._random)
        heights, feet, normals = self._distance.outside(places, self._closeness.protrusion_mm)
        out = heights > self._closeness.protrusion_mm
        if not out.any():
            return None
        return Obstacles(places[out], feet[out] + self._closeness.lift_mm * normals[out], normals[out])


def _spacing_mm(mesh: TriangleMesh) -> float:
    first, second, third = mesh.corners_mm.transpose(1, 0, 2)
    area = float(np.linalg.norm(np.cross(second - first, third - first), axis=1).sum() / 2)
    return float(np.clip(np.sqrt(area / SAMPLES), MIN_SPACING_MM, MAX_SPACING_MM))


def _obstacles(
    points: SurfacePoints, distance: SignedDistance, closeness: Closeness, normals: Array, offsets: Array
) -> Obstacles:
    clear_mm = closeness.clear_mm
    probes = points.places_mm + clear_mm * points.normals
    kept = inside(probes, normals, offsets)  # what lies outside of the hull is in no region anyway
    kept = kept[distance(probes[kept]) > 0.9 * clear_mm]  # a place that lies in a neighbouring wall is no obstacle
    touched = points.places_mm[kept] + closeness.lift_mm * points.normals[kept]
    return Obstacles(probes[kept], touched, points.normals[kept])


def _targets(points: SurfacePoints, distance: SignedDistance, depth_mm: float, normals: Array, offsets: Array) -> Array:
    layers: list[Array] = []
    for number, factor in enumerate(LAYERS):
        depth = factor * depth_mm
        layer = (points.places_mm - depth * points.normals)[:: 2 * 4**number]
        layers.append(layer[distance(layer) < -0.9 * depth])
    targets = np.vstack(layers)
    return targets[inside(targets, normals, offsets - HULL_MARGIN_MM)]
