"""As few convex regions as fill a solid up to its surface."""

from dataclasses import dataclass, replace

import numpy as np
from build123d import Solid

from cad_worker.geometry.collision.convex import Hull
from cad_worker.geometry.collision.inflating import Obstacles, Region, Room, inflate
from cad_worker.geometry.collision.surfaces import SignedDistance, SurfacePoints, spaced
from cad_worker.geometry.convexity import Array, Indexes, hull_of
from cad_worker.geometry.occt_meshes import TriangleMesh, mesh_of

SEED = 5
SAMPLES = 25_000
MIN_SPACING_MM, MAX_SPACING_MM = 0.3, 1.0
TRIALS = 3
"""Regions grown for each one that is kept."""
CORRECTIONS = 6
"""How often a region that stands out of the solid is grown anew, with the places where it did as obstacles."""
LEFT_OVER = 5e-4
"""Share of the targets that may stay uncovered: specks between regions."""


@dataclass(frozen=True)
class Closeness:
    """How near regions have to come to the surface."""

    clear_mm: float
    """No region holds a place this far outside."""
    depth_mm: float
    """Every place this far inside is covered."""
    protrusion_mm: float
    """No region was seen to stand out farther."""


def cover(solid: Solid, closeness: Closeness, limit: int) -> list[Array]:
    """Return the corners (k, 3) of convex regions that overlap and fill the solid; `limit` of them at most.

    If the limit is reached they do not fill it: measure them.
    """
    work = _Covering(solid, closeness)
    return [region.corners_mm for region in work.regions(limit)]


class _Covering:
    def __init__(self, solid: Solid, closeness: Closeness) -> None:
        self._closeness = closeness
        mesh = mesh_of(solid, closeness.clear_mm / 4, 0.25)
        points = spaced(mesh, _spacing_mm(mesh))
        self._distance = SignedDistance(mesh, MAX_SPACING_MM)
        hull_normals, hull_offsets, _ = hull_of(mesh_of(solid, closeness.clear_mm, 0.35).vertices_mm)
        self._room = Room(
            _obstacles(points, self._distance, closeness.clear_mm, hull_normals, hull_offsets),
            _targets(points, self._distance, closeness.depth_mm),
            hull_normals,
            hull_offsets,
        )
        self._random = np.random.default_rng(SEED)

    def regions(self, limit: int) -> list[Region]:
        found: list[Region] = []
        count = len(self._room.targets_mm)
        waiting = np.arange(count)
        while len(waiting) > LEFT_OVER * count and len(found) < limit:
            best = self._best(waiting)
            found.append(best)
            # a region that had to shrink may have lost its own seed's neighbours, never the seed: no endless loop
            waiting = np.setdiff1d(waiting, best.covered, assume_unique=True)
        return _needed(found, count)

    def _best(self, waiting: Indexes) -> Region:
        seeds = self._random.choice(waiting, size=min(TRIALS, len(waiting)), replace=False)
        grown = [(inflate(self._room, self._room.targets_mm[seed], waiting), seed) for seed in seeds]
        gains = [len(np.intersect1d(region.covered, waiting, assume_unique=True)) for region, _ in grown]
        region, seed = grown[int(np.argmax(gains))]
        for _ in range(CORRECTIONS):
            more = self._protruding(region)
            if more is None:
                break
            self._room = replace(self._room, obstacles=self._room.obstacles + more)
            region = inflate(self._room, self._room.targets_mm[seed], waiting)
        return replace(region, covered=np.union1d(region.covered, [seed]))

    def _protruding(self, region: Region) -> Obstacles | None:
        """Return the places at which a region stands out of the solid too far."""
        places = Hull.around(region.corners_mm).places(100, self._random)
        heights, feet, normals = self._distance.feet(places)
        out = heights > self._closeness.protrusion_mm
        if not out.any():
            return None
        return Obstacles(places[out], feet[out], normals[out])


def _spacing_mm(mesh: TriangleMesh) -> float:
    first, second, third = mesh.corners_mm.transpose(1, 0, 2)
    area = float(np.linalg.norm(np.cross(second - first, third - first), axis=1).sum() / 2)
    return float(np.clip(np.sqrt(area / SAMPLES), MIN_SPACING_MM, MAX_SPACING_MM))


def _obstacles(
    points: SurfacePoints, distance: SignedDistance, clear_mm: float, normals: Array, offsets: Array
) -> Obstacles:
    probes = points.places_mm + clear_mm * points.normals
    # what lies outside of the hull is in no region anyway; what a neighbouring wall is nearer to stands for nothing
    kept = np.flatnonzero(
        np.array([(part @ normals.T <= offsets).all(axis=1) for part in probes[:, None, :]]).reshape(-1)
    )
    kept = kept[distance(probes[kept]) > 0.9 * clear_mm] if len(kept) else kept
    return Obstacles(probes[kept], points.places_mm[kept], points.normals[kept])


def _targets(points: SurfacePoints, distance: SignedDistance, depth_mm: float) -> Array:
    layers = [points.places_mm - depth * points.normals for depth in (depth_mm, 10 * depth_mm)]
    return np.vstack(
        [layer[distance(layer) < -0.9 * depth] for layer, depth in zip(layers, (depth_mm, 10 * depth_mm), strict=True)]
    )


def _needed(regions: list[Region], count: int) -> list[Region]:
    """Leave out regions whose targets others cover, too."""
    times = np.zeros(count, dtype=np.int64)
    for region in regions:
        times[region.covered] += 1
    kept: list[Region] = []
    for region in sorted(regions, key=lambda each: len(each.covered)):
        if (times[region.covered] > 1).all():
            times[region.covered] -= 1
        else:
            kept.append(region)
    return kept
