"""Detection of rest: nothing moves, and no motor gets a new command until the end."""

from collections import deque
from collections.abc import Collection

import numpy as np

from sim_worker.run.readings import Readings
from sim_worker.units import Floats

REST_S = 1.0
"""Time for which everything must have been still."""
STILL_M = 5e-5
"""Largest movement within `REST_S` of a part at rest: contacts make parts tremble by micrometres."""
STILL_QUATERNION = 1e-3
"""The same for the components of quaternions: about 0.1 degrees."""


def last_command_change_s(commands: Floats, step_s: float) -> float:
    """Return the time from which (n, k) commands, one row a step, stay constant."""
    changes = np.flatnonzero((np.diff(commands, axis=0) != 0.0).any(axis=1))
    return float(changes[-1] + 1) * step_s if len(changes) else 0.0


class RestDetector:
    """Detects rest of one replica. Feed every chunk once, in order."""

    def __init__(self, last_command_s: float) -> None:
        self._last_command_s = last_command_s
        self._ranges: deque[tuple[float, Floats, Floats]] = deque()
        """Of the last chunks: start time, and minimum and maximum of all positions and quaternions."""

    def is_settled(self, readings: Readings, lost: Collection[int] = ()) -> bool:
        """Return whether at the end of a chunk nothing has moved for `REST_S`, and no command will change.

        `lost`: payloads that do not count any more, by index.
        """
        poses = _poses(readings, lost)
        self._ranges.append((float(readings.time_s[0]), poses.min(axis=0), poses.max(axis=0)))
        until_s = float(readings.time_s[-1])
        while len(self._ranges) > 1 and until_s - self._ranges[1][0] >= REST_S:
            self._ranges.popleft()
        since_s = self._ranges[0][0]
        if until_s - since_s < REST_S or since_s < self._last_command_s:
            return False
        lowest = np.min([low for _, low, _ in self._ranges], axis=0)
        highest = np.max([high for _, _, high in self._ranges], axis=0)
        return bool((highest - lowest <= _tolerances(len(lowest))).all())


def _poses(readings: Readings, lost: Collection[int]) -> Floats:
    """Return (n, 7 k) positions and quaternions of payloads and moving bodies, of every tenth step."""
    sampled = readings[::10]
    payloads = np.hstack([pose for each in sampled.payloads for pose in (each.position_m, each.quaternion)])
    for index in lost:
        payloads[:, 7 * index : 7 * (index + 1)] = 0.0
    if not sampled.layout.moving:
        return payloads
    poses = np.concatenate([sampled.moving_position_m, sampled.moving_quaternion], axis=2)
    return np.hstack([payloads, poses.reshape(len(payloads), -1)])


def _tolerances(columns: int) -> Floats:
    return np.tile([STILL_M] * 3 + [STILL_QUATERNION] * 4, columns // 7)
