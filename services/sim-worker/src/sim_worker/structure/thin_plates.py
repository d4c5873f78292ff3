"""Plates under a point load: how thick a part is where it is pressed on, and how far that place spans.

Beams spread a load over the whole width of a part; where a lid, floor or tray is thin, it bends locally first. The part
counts there as a round plate, held simply at its edge (Roark's Formulas for Stress and Strain, table 11.2): its radius
is the distance to the nearest support.
"""

from dataclasses import dataclass
from itertools import chain, pairwise
from math import log, pi, sqrt

import numpy as np
from contracts.models.scene import Body, BoxGeom, CylinderGeom, HullGeom, Scene, SphereGeom
from scipy.spatial import ConvexHull  # pyright: ignore[reportMissingTypeStubs] - it ships none

from sim_worker.model.geometry import corners_of, unpack_surface
from sim_worker.rotations import rotation_matrix
from sim_worker.structure.section_loads import crossed
from sim_worker.structure.supports import grounded_without
from sim_worker.units import Floats

DIRECTIONS = 16
RADII = np.concatenate([np.arange(0.5, 36.0, 0.5), np.arange(36.0, 61.0)])
"""Distances at which the surroundings are looked at, in thicknesses: supports may be as thin as the plate."""
THICKER = 2.0
"""Of the thickness: where a part is so much thicker, it holds the plate."""
EVEN = 1.3
"""Of the thickness, half way to the support at most: edges and wedges are not plates."""
LEAST_SPAN = 2.0
"""Radius over thickness, below which a part is not a plate."""
GAP_MM = 0.4
"""Between two parts that hold each other."""
ROOT_MOMENT, TIP_YIELD = 0.51, 0.17
"""Of a wide plate that sticks out, under a point load on its edge: greatest moment over force, and deflection times
plate stiffness over force and length squared (Timoshenko and Woinowsky-Krieger, section 48)."""
NEAR_MM = 1.5
"""Of a contact from the surface."""
SPOT = 2.0
"""Times the admissible stress that counts under a point load: the peak is a spot that yields to its surroundings. By
yield lines (Johansen), a plate collapses under 2 pi M, four times the force at which its surface begins to yield."""
SPOT_IN_BLOW = 4.0
"""The same in a blow, which comes seldom: the plate must not collapse."""
LEAST_COSINE = 0.5
"""Of a force to the normal of the face that it presses on: beyond friction it is an edge that is hit."""
AROUND = 32
EPSILON = 1e-9


@dataclass(frozen=True)
class ThinPlate:
    """The place of a part that is pressed on."""

    thickness_mm: float
    radius_mm: float
    """To its support."""
    is_one_sided: bool = False
    """Whether it is held on one side alone."""

    def stress_mpa(self, force_n: float, poisson: float, patch_mm: float = 0.0) -> float:
        """Return the greatest stress under a force on a patch of that radius."""
        thick = self.thickness_mm
        if self.is_one_sided:
            return 6 * ROOT_MOMENT * force_n / thick**2
        patch_mm = (1.6 * patch_mm**2 + thick**2) ** 0.5 - 0.675 * thick if patch_mm < 0.5 * thick else patch_mm
        spread = log(max(self.radius_mm / patch_mm, 1.0))
        return 3 * force_n / (2 * pi * self.thickness_mm**2) * ((1 + poisson) * spread + 1)

    def yield_mm_per_n(self, modulus_mpa: float, poisson: float) -> float:
        """Return by how much it gives way under a force."""
        stiffness = modulus_mpa * self.thickness_mm**3 / (12 * (1 - poisson**2))
        if self.is_one_sided:
            return TIP_YIELD * self.radius_mm**2 / stiffness
        return self.radius_mm**2 * (3 + poisson) / (16 * pi * (1 + poisson) * stiffness)


class Plates:
    """Finds the plates of a scene's parts as they are at the start."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._bodies = {body.label: body for body in scene.bodies}
        self._triangles: dict[str, Floats] = {}
        self._fastened: dict[str, tuple[list[str], list[str]]] = {}

    def at(self, label: str, place_mm: Floats, force: Floats) -> ThinPlate | None:
        """Return the plate that a force (3,) on a part presses on; None where something holds the part right there.

        Between two opposite supports, a place counts as the middle of a span that gives way as much: a load at a and b
        from the ends of a beam bends it by a² b² / (3 E I (a + b)).
        """
        down = self._down(label, place_mm, force)
        here = self._here(label, place_mm, down)
        if here is None:
            return None
        top, bottom = here
        thickness = bottom - top
        behind = self._holding(label, place_mm[None], down)[0]
        if thickness <= EPSILON or any(low <= bottom + GAP_MM and high >= bottom for low, high in behind):
            return None
        found = self._distances(label, place_mm, down, top, thickness)
        between, beside = float(np.sqrt(found * np.roll(found, len(found) // 2)).min()), float(found.min())
        if np.isfinite(between):
            return ThinPlate(thickness, between)
        return ThinPlate(thickness, beside, is_one_sided=True) if np.isfinite(beside) else None

    def most_mpa_per_n(self, label: str, place_mm: Floats, force: Floats, poisson: float) -> float:
        """Return a bound of the stress for each newton there, whatever the span: that of the widest plate."""
        here = self._here(label, place_mm, self._down(label, place_mm, force))
        if here is None or here[1] - here[0] <= EPSILON:
            return 0.0
        thickness, widest = here[1] - here[0], float(RADII[-1])
        plates = [ThinPlate(thickness, widest * thickness, is_one_sided=each) for each in (False, True)]
        return max(plate.stress_mpa(1.0, poisson) for plate in plates)

    def _down(self, label: str, place_mm: Floats, force: Floats) -> Floats:
        """Return (3,) the normal, into the part, of the face that is pressed on: friction tilts forces, not plates."""
        along: Floats = force / np.linalg.norm(force)
        normal = normal_near(self._surface(label), place_mm, along)
        return along if normal is None or float(normal @ along) < LEAST_COSINE else normal

    def _here(self, label: str, place_mm: Floats, down: Floats) -> tuple[float, float] | None:
        """Return where a line through a place enters and leaves the part there; None if it is not at its surface."""
        here = self._whole(label, place_mm[None], down)[0]
        return next(((low, high) for low, high in here if low < NEAR_MM and high > -NEAR_MM), None)

    def _distances(self, label: str, place: Floats, down: Floats, top: float, thickness: float) -> Floats:
        """Return the distance to a support in each direction; infinite without one."""
        first, second = _across(down)
        angles = np.arange(DIRECTIONS) * 2 * pi / DIRECTIONS
        ways = np.outer(np.cos(angles), first) + np.outer(np.sin(angles), second)
        radii: Floats = RADII * thickness
        points = (place + radii[None, :, None] * ways[:, None, :]).reshape(-1, 3)
        middle = top + thickness / 2
        own, around = self._whole(label, points, down), self._holding(label, points, down)
        found = np.full(DIRECTIONS, np.inf)
        for direction in range(DIRECTIONS):
            depths: list[float] = []
            for step, radius in enumerate(float(each) for each in radii):
                index = direction * radii.size + step
                part = next((each for each in own[index] if each[0] - EPSILON <= middle <= each[1] + EPSILON), None)
                low, high = part if part is not None else (middle, middle)
                depths.append(high - low)
                is_held = any(each[0] <= high + GAP_MM and each[1] >= low - GAP_MM for each in around[index])
                if high - low > THICKER * thickness or is_held:
                    is_even = depths[int(np.searchsorted(radii, radius / 2))] <= EVEN * thickness
                    if is_even and radius >= LEAST_SPAN * thickness:
                        found[direction] = radius
                    break
                if part is None:
                    break
        return found

    def _whole(self, label: str, points: Floats, down: Floats) -> list[list[tuple[float, float]]]:
        """Return where lines are inside a part, or what only the part carries: layers and ribs that are glued to it."""
        solids = [self._inside(each, points, down) for each in (label, *self._of(label)[0])]
        return [_merged(sorted(chain.from_iterable(each))) for each in zip(*solids, strict=True)]

    def _holding(self, label: str, points: Floats, down: Floats) -> list[list[tuple[float, float]]]:
        """Return where lines are inside what leads to the ground without a part."""
        solids = [self._inside(each, points, down) for each in self._of(label)[1]]
        found = [sorted(chain.from_iterable(each)) for each in zip(*solids, strict=True)]
        return found or [[] for _ in points]

    def _of(self, label: str) -> tuple[list[str], list[str]]:
        """Return what a part is fastened to: what only it carries, and what leads to the ground without it."""
        if label not in self._fastened:
            own = [weld for weld in self._scene.welds if label in (weld.first, weld.second)]
            others = {weld.second if weld.first == label else weld.first for weld in own}
            grounded = others & grounded_without(self._scene, frozenset({label}))
            self._fastened[label] = sorted(others - grounded), sorted(grounded)
        return self._fastened[label]

    def _inside(self, label: str, points: Floats, direction: Floats) -> list[list[tuple[float, float]]]:
        """Return for each of the points (n, 3) where a line through it is inside a body, as distances from it."""
        return intervals(self._surface(label), points, direction)

    def _surface(self, label: str) -> Floats:
        if label not in self._triangles:
            self._triangles[label] = triangles_of(self._bodies[label])
        return self._triangles[label]


def _merged(found: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return sorted intervals without the gaps of glue between them."""
    merged: list[tuple[float, float]] = []
    for low, high in found:
        if merged and low <= merged[-1][1] + GAP_MM:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    return merged


def intervals(triangles: Floats, points: Floats, direction: Floats) -> list[list[tuple[float, float]]]:
    """Return for each of the points (n, 3) where lines along a direction are inside triangles (m, 3, 3)."""
    # A tiny, fixed offset keeps lines off edges that two triangles share.
    plane = _across(direction)
    flat: Floats = triangles @ plane.T
    a, b, c = flat[:, 0], flat[:, 1], flat[:, 2]
    flat_points: Floats = points @ plane.T + [1.234e-5, 2.345e-5]
    double = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    is_flat = np.abs(double) > EPSILON
    a, b, c, double = a[is_flat], b[is_flat], c[is_flat], double[is_flat]
    heights = (triangles @ direction)[is_flat]
    first, second = _doubles(flat_points, b, c) / double, _doubles(flat_points, c, a) / double
    third = 1 - first - second
    numbers, hits = np.nonzero((first >= 0) & (second >= 0) & (third >= 0))
    shares = np.stack([each[numbers, hits] for each in (first, second, third)], axis=1)
    levels = (shares * heights[hits]).sum(axis=1) - (points @ direction)[numbers]
    found: list[list[tuple[float, float]]] = [[] for _ in points]
    order = np.lexsort((levels, numbers))
    bounds = np.searchsorted(numbers[order], np.arange(len(points) + 1))
    for number, (start, end) in enumerate(pairwise(bounds)):
        own = levels[order[start:end]]
        found[number] = [(float(low), float(high)) for low, high in zip(own[::2], own[1::2], strict=False)]
    return found


def normal_near(triangles: Floats, point: Floats, direction: Floats) -> Floats | None:
    """Return (3,) the unit normal, along a direction, of the triangle that a line meets within 1.5 mm of a point."""
    first, second = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    normals: Floats = crossed(first, second)
    along = normals @ direction
    met = np.flatnonzero(np.abs(along) > EPSILON)
    levels = np.einsum("nx,nx->n", triangles[met, 0] - point, normals[met]) / along[met]
    near = met[np.abs(levels) < NEAR_MM]
    flat, at = triangles[near] @ _across(direction).T, _across(direction) @ point
    doubles = [_doubles(at[None], flat[:, one], flat[:, other])[0] for one, other in ((0, 1), (1, 2), (2, 0))]
    inside = np.flatnonzero((np.minimum.reduce(doubles) >= -EPSILON) | (np.maximum.reduce(doubles) <= EPSILON))
    if not inside.size:
        return None
    closest = near[inside[int(np.argmin(np.abs(levels[np.abs(levels) < NEAR_MM][inside])))]]
    found: Floats = normals[closest] * np.sign(along[closest])
    return found / float(np.linalg.norm(found))


def _across(direction: Floats) -> Floats:
    """Return (2, 3) unit vectors across a direction, one a row."""
    first = crossed(direction[None], np.eye(3)[None, int(np.argmin(np.abs(direction)))])
    first /= np.linalg.norm(first)
    return np.concatenate([first, crossed(direction[None], first)])


def _doubles(points: Floats, first: Floats, second: Floats) -> Floats:
    """Return (n, m) twice the areas of the triangles between points (n, 2) and edges (m, 2)."""
    ahead, aside = first - points[:, None], second - points[:, None]
    areas: Floats = ahead[..., 0] * aside[..., 1] - ahead[..., 1] * aside[..., 0]
    return areas


def triangles_of(body: Body) -> Floats:
    """Return the surface of a body as triangles (m, 3, 3) in mm."""
    if body.surface is not None:
        vertices_mm, triangles = unpack_surface(body.surface)
        return vertices_mm[triangles]
    return np.concatenate([_hull(_corners(geom)) for geom in body.geoms]) if body.geoms else np.zeros((0, 3, 3))


def _corners(geom: BoxGeom | CylinderGeom | SphereGeom | HullGeom) -> Floats:
    match geom:
        case HullGeom():
            return np.array(geom.vertices_mm)
        case BoxGeom():
            return corners_of(geom)
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
