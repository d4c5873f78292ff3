"""Plates under a point load: how thick a part is where it is pressed on, and how far that place spans.

Beams spread a load over the whole width of a part; where a lid, floor or tray is thin, it bends locally first. The part
counts there as a round plate, held simply at its edge (Roark's Formulas for Stress and Strain, table 11.2): its radius
is the distance to the nearest support.
"""

from dataclasses import dataclass
from math import log, pi, sqrt

import numpy as np
from contracts.models.scene import Body, BoxGeom, CylinderGeom, HullGeom, Scene, SphereGeom
from scipy.spatial import ConvexHull

from sim_worker.model.geometry import unpack_surface
from sim_worker.rotations import rotation_matrix
from sim_worker.units import Floats

DIRECTIONS = 16
RADII = np.geomspace(0.5, 60.0, 30)
"""Distances at which the surroundings are looked at, in thicknesses."""
THICKER = 2.0
"""Of the thickness: where a part is so much thicker, it holds the plate."""
EVEN = 1.3
"""Of the thickness, half way to the support at most: edges and wedges are not plates."""
LEAST_SPAN = 2.0
"""Radius over thickness, below which a part is not a plate."""
GAP_MM = 0.4
"""Between two parts that hold each other."""
NEAR_MM = 1.5
"""Of a contact from the surface."""
PLASTIC = 1.5
"""Moment at which a rectangular section yields throughout over that at which its surface begins to: the peak under a
point load is a spot, and yields to its surroundings."""
AROUND = 32
EPSILON = 1e-9


@dataclass(frozen=True)
class Plate:
    """The place of a part that is pressed on."""

    thickness_mm: float
    radius_mm: float
    """To its support."""

    def stress_mpa(self, force_n: float, poisson: float, patch_mm: float = 0.0) -> float:
        """Return the greatest stress under a force on a patch of that radius."""
        thick = self.thickness_mm
        patch_mm = (1.6 * patch_mm**2 + thick**2) ** 0.5 - 0.675 * thick if patch_mm < 0.5 * thick else patch_mm
        spread = log(max(self.radius_mm / patch_mm, 1.0))
        return 3 * force_n / (2 * pi * self.thickness_mm**2) * ((1 + poisson) * spread + 1)

    def yield_mm_per_n(self, modulus_mpa: float, poisson: float) -> float:
        """Return by how much it gives way under a force."""
        stiffness = modulus_mpa * self.thickness_mm**3 / (12 * (1 - poisson**2))
        return self.radius_mm**2 * (3 + poisson) / (16 * pi * (1 + poisson) * stiffness)


class Plates:
    """Finds the plates of a scene's parts as they are at the start."""

    def __init__(self, scene: Scene) -> None:
        self._bodies = {body.label: body for body in scene.bodies}
        self._neighbours: dict[str, set[str]] = {label: set() for label in self._bodies}
        for weld in scene.welds:
            self._neighbours[weld.first].add(weld.second)
            self._neighbours[weld.second].add(weld.first)
        self._triangles: dict[str, Floats] = {}

    def at(self, label: str, place_mm: Floats, force: Floats) -> Plate | None:
        """Return the plate that a force (3,) on a part presses on; None where something holds the part right there."""
        down = force / np.linalg.norm(force)
        here = self._inside(label, place_mm[None], down)[0]
        hit = [(low, high) for low, high in here if low < NEAR_MM and high > -NEAR_MM]
        if not hit:
            return None
        top, bottom = hit[0]
        thickness = bottom - top
        if thickness <= EPSILON or self._is_held(label, place_mm, down, bottom):
            return None
        found = self._distances(label, place_mm, down, top, thickness)
        radius = _radius(found)
        return None if radius is None else Plate(thickness, radius)

    def _distances(self, label: str, place: Floats, down: Floats, top: float, thickness: float) -> Floats:
        """Return the distance to a support in each direction; infinite without one."""
        first = np.cross(down, np.eye(3)[int(np.argmin(np.abs(down)))])
        first /= np.linalg.norm(first)
        angles = np.arange(DIRECTIONS) * 2 * pi / DIRECTIONS
        ways = np.outer(np.cos(angles), first) + np.outer(np.sin(angles), np.cross(down, first))
        radii = RADII * thickness
        points = (place + radii[None, :, None] * ways[:, None, :]).reshape(-1, 3)
        middle = top + thickness / 2
        own = self._inside(label, points, down)
        around = [self._inside(each, points, down) for each in sorted(self._neighbours[label])]
        found = np.full(DIRECTIONS, np.inf)
        for direction in range(DIRECTIONS):
            depths: list[float] = []
            for step, radius in enumerate(radii):
                index = direction * len(radii) + step
                part = next((each for each in own[index] if each[0] - EPSILON <= middle <= each[1] + EPSILON), None)
                low, high = part if part is not None else (middle, middle)
                depths.append(high - low)
                is_held = any(each[0] <= high + GAP_MM and each[1] >= high for solid in around for each in solid[index])
                if high - low > THICKER * thickness or is_held:
                    is_even = depths[int(np.searchsorted(radii, radius / 2))] <= EVEN * thickness
                    if is_even and radius >= LEAST_SPAN * thickness:
                        found[direction] = radius
                    break
                if part is None:
                    break
        return found

    def _is_held(self, label: str, place: Floats, down: Floats, bottom: float) -> bool:
        return any(
            low <= bottom + GAP_MM and high >= bottom
            for other in self._neighbours[label]
            for low, high in self._inside(other, place[None], down)[0]
        )

    def _inside(self, label: str, points: Floats, direction: Floats) -> list[list[tuple[float, float]]]:
        """Return for each of the points (n, 3) where a line through it is inside a body, as distances from it."""
        if label not in self._triangles:
            self._triangles[label] = triangles_of(self._bodies[label])
        return intervals(self._triangles[label], points, direction)


def _radius(distances: Floats) -> float | None:
    """Return the radius of a plate with supports at these distances around it.

    Between two opposite supports, a place counts as the middle of a span that gives way as much: a load at a and b from
    the ends of a beam bends it by a² b² / (3 E I (a + b)). What is held on one side alone is a beam.
    """
    opposite = np.roll(distances, len(distances) // 2)
    least = float(np.sqrt(distances * opposite).min())
    return least if np.isfinite(least) else None


def intervals(triangles: Floats, points: Floats, direction: Floats) -> list[list[tuple[float, float]]]:
    """Return for each of the points (n, 3) where lines along a direction are inside triangles (m, 3, 3)."""
    # A tiny, fixed offset keeps lines off edges that two triangles share.
    across = np.cross(direction, np.eye(3)[int(np.argmin(np.abs(direction)))])
    across /= np.linalg.norm(across)
    plane = np.array([across, np.cross(direction, across)])
    flat = triangles @ plane.T
    a, b, c = flat[:, 0], flat[:, 1], flat[:, 2]
    ground = points @ plane.T + [1.234e-5, 2.345e-5]
    double = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    is_flat = np.abs(double) > EPSILON
    a, b, c, double = a[is_flat], b[is_flat], c[is_flat], double[is_flat]
    heights = (triangles @ direction)[is_flat]
    found: list[list[tuple[float, float]]] = []
    for point, level in zip(ground, points @ direction, strict=True):
        first = _double(point, b, c) / double
        second = _double(point, c, a) / double
        third = 1 - first - second
        is_hit = (first >= 0) & (second >= 0) & (third >= 0)
        shares = np.stack([first, second, third], axis=1)[is_hit]
        levels = np.sort((shares * heights[is_hit]).sum(axis=1)) - level
        found.append([(float(low), float(high)) for low, high in zip(levels[::2], levels[1::2], strict=False)])
    return found


def _double(point: Floats, first: Floats, second: Floats) -> Floats:
    area: Floats = (first[:, 0] - point[0]) * (second[:, 1] - point[1]) - (first[:, 1] - point[1]) * (
        second[:, 0] - point[0]
    )
    return area


def triangles_of(body: Body) -> Floats:
    """Return the surface of a body as triangles (m, 3, 3) in mm."""
    if body.surface is not None:
        vertices_mm, triangles = unpack_surface(body.surface)
        return vertices_mm[triangles]
    return np.concatenate([_hull(_corners(geom)) for geom in body.geoms]) if body.geoms else np.zeros((0, 3, 3))


def _corners(geom: BoxGeom | CylinderGeom | SphereGeom | HullGeom) -> Floats:
    signs = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    match geom:
        case HullGeom():
            return np.array(geom.vertices_mm)
        case BoxGeom():
            return np.array(geom.center_mm) + signs * geom.size_mm @ rotation_matrix(np.array(geom.quaternion)).T
        case CylinderGeom():
            angles = np.arange(AROUND) * 2 * pi / AROUND
            circle = geom.radius_mm * np.stack([np.cos(angles), np.sin(angles)], axis=1)
            ends = [np.column_stack([circle, np.full(AROUND, side * geom.length_mm / 2)]) for side in (-1, 1)]
            turned = np.concatenate(ends) @ rotation_matrix(np.array(geom.quaternion)).T
            return np.array(geom.center_mm) + turned
        case SphereGeom():
            steps = np.arange(4 * AROUND) + 0.5
            heights, angles = 1 - 2 * steps / (4 * AROUND), pi * (1 + sqrt(5)) * steps
            rings = np.sqrt(1 - heights**2)
            ball = np.column_stack([rings * np.cos(angles), rings * np.sin(angles), heights])
            return np.array(geom.center_mm) + geom.radius_mm * ball


def _hull(corners: Floats) -> Floats:
    found: Floats = corners[ConvexHull(corners).simplices]
    return found
