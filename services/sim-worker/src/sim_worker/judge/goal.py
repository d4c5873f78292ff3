"""The goal: what the payload must do in the goal zone, and how far its centre is from it."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from contracts.criteria import AT_REST_M_S
from contracts.models.benchmark import GoalRule, Payload
from contracts.models.scene import Scene

from sim_worker.judge.hold_timer import Flags
from sim_worker.payload_shape import PayloadOutline
from sim_worker.run.readings import Readings
from sim_worker.units import Floats, metres_each, millimetres

INSIDE_M = 1e-4
"""A payload that protrudes by less counts as inside: contacts give way by some hundredths of a millimetre."""


@dataclass(frozen=True)
class Goal:
    """The goal zone of a scene and the rule of its benchmark."""

    rule: GoalRule
    low_m: Floats
    high_m: Floats
    payload: PayloadOutline

    @classmethod
    def of(cls, scene: Scene, payload: Payload) -> Self:
        """Return the goal of a scene for one of its payloads."""
        return cls(
            rule=scene.goal_rule,
            low_m=np.array(metres_each(scene.goal_zone.min_mm)),
            high_m=np.array(metres_each(scene.goal_zone.max_mm)),
            payload=PayloadOutline.of(payload),
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
        below_m, above_m = self.payload.reach_m(readings.quaternion)
        low_m, high_m = readings.position_m + below_m, readings.position_m + above_m
        inside = (low_m >= self.low_m - INSIDE_M) & (high_m <= self.high_m + INSIDE_M)
        rows: Flags = np.logical_and.reduce(inside, axis=1)
        return rows
