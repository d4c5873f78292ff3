"""Detection of spurious energy: a fault of the simulator, found by comparison with motor work and height."""

from typing import NamedTuple, Self

import numpy as np

from sim_worker.judge.hold_timer import Flags
from sim_worker.run.readings import Readings
from sim_worker.units import GRAVITY_M_S2, Floats

SLACK_HEIGHT_M = 0.005
"""Everything that moves may gain the energy of this height. `docs/physics.md` lists what sound runs gain."""
WORK_SHARE = 0.05
"""It may also gain this share of the motors' work, which is a sum over steps in which torque and speed change."""
SPEED_FACTOR = 1.2
SPEED_SLACK_M_S = 0.1
"""A payload that moves alone must not exceed its speed of fall by more than factor and slack."""


class _Start(NamedTuple):
    energy_j: float
    height_m: float
    speed_m_s: float

    @classmethod
    def of(cls, readings: Readings) -> Self:
        return cls(float(readings.energy_j[0]), float(readings.position_m[0, 2]), float(readings.speed_m_s[0]))


class EnergyMonitor:
    """Compares the energy of one replica with its bound. Feed every chunk once, in order."""

    def __init__(self, moving_kg: float, is_payload_alone: bool) -> None:
        self._slack_j = moving_kg * GRAVITY_M_S2 * SLACK_HEIGHT_M
        self._is_payload_alone = is_payload_alone
        self._start: _Start | None = None
        self._lowest_m = np.inf
        self._work_j = 0.0
        self._last_step: tuple[float, Floats, Floats] | None = None
        """Time, torques and speeds."""

    def is_spurious(self, readings: Readings) -> Flags:
        """Return (n,) whether the world has more energy at that step than it can have."""
        start = self._start = self._start or _Start.of(readings)
        work_j = self._motor_work(readings)
        has_gained = readings.energy_j - start.energy_j > self._slack_j + (1 + WORK_SHARE) * work_j
        return has_gained | self._is_too_fast(readings, start) if self._is_payload_alone else has_gained

    def _motor_work(self, readings: Readings) -> Floats:
        """Return (n,) the work of all motors up to each step, without braking."""
        if not readings.layout.drive_torques:
            return np.zeros(len(readings.time_s))
        torque, speed = readings.drive_torque_n_m, readings.drive_speed_rad_s
        time_s, last_n_m, last_rad_s = self._last_step or (readings.time_s[0], torque[0], speed[0])
        times_s = np.append(time_s, readings.time_s)
        applied = np.vstack([last_n_m, torque[:-1]])  # a torque acts from its step to the next
        mean_speed = (np.vstack([last_rad_s, speed[:-1]]) + speed) / 2
        done_j = np.maximum(applied * mean_speed, 0.0).sum(axis=1) * np.diff(times_s)
        work_j: Floats = self._work_j + np.cumsum(done_j)
        self._work_j = float(work_j[-1])
        self._last_step = (float(times_s[-1]), torque[-1], speed[-1])
        return work_j

    def _is_too_fast(self, readings: Readings, start: _Start) -> Flags:
        """Return (n,) whether the payload is faster than its fall can have made it."""
        height_m, lowest_m = readings.position_m[:, 2], self._lowest_m
        self._lowest_m = float(np.fmin(lowest_m, np.fmin.reduce(height_m)))
        limits_m_s = _max_speed_m_s(start, np.fmin.accumulate(np.fmin(height_m, lowest_m)))
        is_too_fast: Flags = readings.speed_m_s > limits_m_s
        return is_too_fast


def _max_speed_m_s(start: _Start, lowest_m: Floats) -> Floats:
    """Return the speed limit after a fall to each of the heights (n,)."""
    fallen_m = np.maximum(start.height_m - lowest_m, 0.0)
    fall_m_s = np.sqrt(start.speed_m_s**2 + 2.0 * GRAVITY_M_S2 * fallen_m)
    limit_m_s: Floats = SPEED_FACTOR * fall_m_s + SPEED_SLACK_M_S
    return limit_m_s
