"""The goal: what the payload must do in the goal zone, and how far its centre is from it."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from contracts.criteria import AT_REST_M_S
from contracts.models.benchmark import GoalRule
from contracts.models.scene import Scene

from sim_worker.judge.hold_timer import Flags
from sim_worker.rotations import rotation_matrices
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, metres, metres_each, millimetres

INSIDE_M = 1e-4
"""A payload that protrudes by less counts as inside: contacts give way by some hundredths of a millimetre."""


@dataclass(frozen=True)
class Goal:
    """The goal zone of a scene and the rule of its benchmark."""

    rule: GoalRule
    low_m: Floats
    high_m: Floats
    half_m: float
    """Radius of a ball, half the edge of a cube."""
    is_ball: bool

    @classmethod
    def of(cls, scene: Scene) -> Self:
        """Return the goal of a scene."""
        return cls(
            rule=scene.goal_rule,
            low_m=np.array(metres_each(scene.goal_zone.min_mm)),
            high_m=np.array(metres_each(scene.goal_zone.max_mm)),
            half_m=metres(scene.payload.size_mm) / 2,
            is_ball=scene.payload.shape == "ball",
        )

    def is_fulfilled(self, readings: Readings) -> Flags:
        """Return (n,) whether the payload does what the rule asks for at that step."""
        touches: Flags = readings.goal_m <= 0.0
        if self.rule == "touch" or not touches.any():
            return touches
        if self.rule == "at_rest":
            return touches & (readings.speed_m_s < AT_REST_M_S)
        return touches & self._is_inside(readings)

    def distances_mm(self, position_m: Floats) -> tuple[float, float]:
        """Return the distance of a point (3,) from the zone, 0 inside, and from the zone's centre."""
        outside_m = np.maximum(np.maximum(self.low_m - position_m, position_m - self.high_m), 0.0)
        centre_m = position_m - (self.low_m + self.high_m) / 2
        return millimetres(float(np.linalg.norm(outside_m))), millimetres(float(np.linalg.norm(centre_m)))

    def _is_inside(self, readings: Readings) -> Flags:
        half_m = self._half_extents_m(readings.quaternion)
        low_m, high_m = readings.position_m - half_m, readings.position_m + half_m
        inside = (low_m >= self.low_m - INSIDE_M) & (high_m <= self.high_m + INSIDE_M)
        rows: Flags = np.logical_and.reduce(inside, axis=1)
        return rows

    def _half_extents_m(self, quaternions: Floats) -> Floats:
        """Return (n, 3) half the size of the payload's bounding box, for quaternions (n, 4), w first."""
        if self.is_ball:
            return np.full((len(quaternions), 3), self.half_m)
        return self.half_m * np.abs(rotation_matrices(quaternions)).sum(axis=2)
