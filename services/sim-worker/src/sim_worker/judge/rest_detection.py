"""When nothing more will happen: everything rests and no motor is told anything new."""

from collections import deque

import numpy as np

from sim_worker.run.readings import Readings
from sim_worker.units import Floats

REST_S = 1.0
"""So long everything must have stayed where it is."""
STILL_M = 5e-5
"""A part that has moved less than this in `REST_S` rests: contacts make what lies on them tremble by micrometres."""
STILL_TURN = 1e-3
"""The same for the components of quaternions: about 0.1 degrees."""


def quiet_from_s(commands: Floats, step_s: float) -> float:
    """Return from when on (n, k) commands, one row a step, do not change any more."""
    changes = np.flatnonzero((np.diff(commands, axis=0) != 0.0).any(axis=1))
    return float(changes[-1] + 1) * step_s if len(changes) else 0.0


class RestWatch:
    """Watches one replica; show it every piece once, in order."""

    def __init__(self, quiet_s: float) -> None:
        self._quiet_s = quiet_s
        self._spans: deque[tuple[float, Floats, Floats]] = deque()
        """Of the last pieces: when each began, and the lowest and highest of all places and turns in it."""

    def is_settled(self, readings: Readings) -> bool:
        """Return whether nothing has moved for `REST_S` at the end of a piece, and nothing is told to."""
        poses = _poses(readings)
        self._spans.append((float(readings.time_s[0]), poses.min(axis=0), poses.max(axis=0)))
        until_s = float(readings.time_s[-1])
        while len(self._spans) > 1 and until_s - self._spans[1][0] >= REST_S:
            self._spans.popleft()
        since_s = self._spans[0][0]
        if until_s - since_s < REST_S or since_s < self._quiet_s:
            return False
        lowest = np.min([low for _, low, _ in self._spans], axis=0)
        highest = np.max([high for _, _, high in self._spans], axis=0)
        return bool((highest - lowest <= _stillness(len(lowest))).all())


def _poses(readings: Readings) -> Floats:
    """Return (n, 7 k) places and quaternions of the payload and all that moves, thinned out: rest shows in a few."""
    few = readings[::10]
    payload = np.hstack([few.position_m, few.quaternion])
    if not few.gauges.moving:
        return payload
    poses = np.concatenate([few.moving_place_m, few.moving_quaternion], axis=2)
    return np.hstack([payload, poses.reshape(len(payload), -1)])


def _stillness(columns: int) -> Floats:
    return np.tile([STILL_M] * 3 + [STILL_TURN] * 4, columns // 7)
