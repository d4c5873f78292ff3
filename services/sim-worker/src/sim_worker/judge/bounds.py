"""The bounds of the world: the first thing that leaves them, a payload or a moving part of the design."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from contracts.models.scene import Body, BoxGeom, CylinderGeom, Geom, HullGeom, Scene, SphereGeom

from sim_worker.model.sensor_layout import SensorLayout
from sim_worker.rotations import rotation_matrices, rotation_matrix
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, metres_each, metres_of, millimetres

SAMPLED_STEPS = 5
"""Parts are looked at in every fifth step: at 2 m/s they move by 10 mm in between."""
BEYOND_M = 1e-3
"""Less is not reported: a part may stand at the very bounds, and joints give way by some hundredths."""
ROUND_POINTS = 48
"""Around the rim of a cylinder: they fall short of it by 0.2 % of its radius."""


@dataclass(frozen=True)
class _Outline:
    """Points on the surface of a part, relative to its centre of mass at the initial pose."""

    label: str
    column: int
    """Among the moving bodies of the readings."""
    points_m: Floats
    radius_m: float

    @classmethod
    def of(cls, body: Body, column: int) -> Self:
        assert body.mass is not None, "only bodies with mass can move"
        points = np.concatenate([_points_mm(geom) for geom in body.geoms]) - np.array(body.mass.center_mm)
        points_m = metres_of(points)
        return cls(body.label, column, points_m, float(np.linalg.norm(points_m, axis=1).max()))


@dataclass(frozen=True)
class Departure:
    """A part beyond the bounds."""

    step: int
    culprit: str
    cause: str


@dataclass(frozen=True)
class WorldBounds:
    """The bounds of a scene, and the parts of the design that can move."""

    low_m: Floats
    high_m: Floats
    outlines: tuple[_Outline, ...]

    @classmethod
    def of(cls, scene: Scene, layout: SensorLayout) -> Self:
        """Return the bounds of a scene."""
        return cls(
            low_m=np.array(metres_each(scene.bounds.min_mm)),
            high_m=np.array(metres_each(scene.bounds.max_mm)),
            outlines=tuple(
                _Outline.of(body, layout.moving.index(body.label))
                for body in scene.bodies
                if body.origin == "design" and body.label in layout.moving
            ),
        )

    def first_part(self, readings: Readings) -> Departure | None:
        """Return the first departure of any point of a part in a chunk."""
        sampled = readings[::SAMPLED_STEPS]
        places, turns = sampled.moving_position_m, sampled.moving_quaternion
        departures = [
            self._departure(outline, places[:, outline.column], turns[:, outline.column]) for outline in self.outlines
        ]
        return min((each for each in departures if each is not None), key=_step, default=None)

    def lost_payload(self, readings: Readings, name: str) -> tuple[int, str] | None:
        """Return the step of a chunk at which the payload's centre leaves the bounds, and the cause in words."""
        places_m = readings.position_m
        outside = ((places_m < self.low_m) | (places_m > self.high_m)).any(axis=1)
        if not outside.any():
            return None
        step = int(np.argmax(outside))
        excess_m = np.concatenate([self.low_m - places_m[step], places_m[step] - self.high_m])
        side = int(np.argmax(excess_m))
        return step, f"{name}'s centre {self._beyond(float(places_m[step, side % 3]), side)}"

    def _departure(self, outline: _Outline, places_m: Floats, turns: Floats) -> Departure | None:
        reach_m = outline.radius_m
        near = np.flatnonzero(((places_m - reach_m < self.low_m) | (places_m + reach_m > self.high_m)).any(axis=1))
        if not len(near):
            return None
        points_m = np.einsum("nij,kj->nki", rotation_matrices(turns[near]), outline.points_m) + places_m[near, None]
        lowest_m, highest_m = points_m.min(axis=1), points_m.max(axis=1)
        excess_m = np.hstack([self.low_m - lowest_m, highest_m - self.high_m])
        beyond = np.flatnonzero((excess_m > BEYOND_M).any(axis=1))
        if not len(beyond):
            return None
        first = int(beyond[0])
        side = int(np.argmax(excess_m[first]))
        at_m = float(np.hstack([lowest_m, highest_m])[first, side])
        cause = (
            f"{outline.label} {self._beyond(at_m, side)}: a working part may leave the build zone, but not the world"
        )
        return Departure(int(near[first]) * SAMPLED_STEPS, outline.label, cause)

    def _beyond(self, at_m: float, side: int) -> str:
        bound_m = np.concatenate([self.low_m, self.high_m])[side]
        at_mm, bound_mm = millimetres(at_m), millimetres(float(bound_m))
        return f"came to {'xyz'[side % 3]} = {at_mm:.1f} mm; the bounds end at {bound_mm:.1f} mm"


def _points_mm(geom: Geom) -> Floats:
    """Return (k, 3) points whose convex hull is the shape, in world coordinates."""
    match geom:
        case HullGeom():
            return np.array(geom.vertices_mm)
        case BoxGeom():
            signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
            return signs * np.array(geom.size_mm) / 2 @ rotation_matrix(np.array(geom.quaternion)).T + geom.center_mm
        case SphereGeom():
            return _sphere_points() * geom.radius_mm + geom.center_mm
        case CylinderGeom():
            turns = np.linspace(0.0, 2 * np.pi, ROUND_POINTS, endpoint=False)
            rim = np.stack([np.cos(turns), np.sin(turns), np.zeros(ROUND_POINTS)], axis=1) * geom.radius_mm
            half_mm = np.array([0.0, 0.0, geom.length_mm / 2])
            ends = np.concatenate([rim - half_mm, rim + half_mm])
            return ends @ rotation_matrix(np.array(geom.quaternion)).T + geom.center_mm


def _sphere_points() -> Floats:
    turns, heights = np.meshgrid(np.linspace(0, 2 * np.pi, ROUND_POINTS), np.linspace(0, np.pi, ROUND_POINTS // 2))
    points = np.stack([np.sin(heights) * np.cos(turns), np.sin(heights) * np.sin(turns), np.cos(heights)], axis=-1)
    return points.reshape(-1, 3)


def _step(departure: Departure) -> int:
    return departure.step
