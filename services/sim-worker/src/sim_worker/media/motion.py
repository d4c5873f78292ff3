"""How everything moved, as pictures need it: each thing from where it stood at the start."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sim_worker.run.trajectory import Trajectory
from sim_worker.units import Floats

STILL_M = 1e-6
STILL_COSINE = 1.0 - 1e-9
"""Of half the angle between two poses."""

Window = tuple[float, float]
"""From when until when, s."""


class NothingToFilmError(Exception):
    """There is no moment of the run in the window."""


@dataclass(frozen=True)
class Way:
    """Poses of a frame that stood upright in the thing's middle at the start."""

    place_m: Floats
    """(n, 3)"""
    quaternion: Floats
    """(n, 4), w first, unit length"""
    start_m: Floats
    """(3,), where it stood when the run began"""

    @property
    def is_still(self) -> bool:
        """Tell whether it stayed where it was."""
        moved_m = np.abs(self.place_m - self.place_m[0]).max()
        turned = np.abs(self.quaternion @ self.quaternion[0]).min()
        return bool(moved_m < STILL_M and turned > STILL_COSINE)


@dataclass(frozen=True)
class Motion:
    """A run, or what happened of it in a window."""

    time_s: Floats
    """(n,), counted from the start of the run"""
    payload: Way
    bodies: Mapping[str, Way]
    """Of every body that could move, by label."""

    @classmethod
    def of(cls, trajectory: Trajectory, window_s: Window | None = None) -> "Motion":
        """Return how everything moved; raise `NothingToFilmError`."""
        time_s = trajectory.time_s
        low_s, high_s = window_s or (0.0, float(time_s[-1]))
        inside = np.flatnonzero((time_s >= low_s - 1e-9) & (time_s <= high_s + 1e-9))
        if not len(inside):
            raise NothingToFilmError(
                f"nothing was simulated between {low_s:g} s and {high_s:g} s: the run goes from 0 s to {time_s[-1]:g} s"
            )
        bodies = {
            label: Way(
                trajectory.body_m[inside, body],
                _unit(trajectory.body_quaternion[inside, body]),
                trajectory.body_m[0, body],
            )
            for body, label in enumerate(trajectory.bodies)
        }
        payload = Way(trajectory.place_m[inside], _unit(trajectory.quaternion[inside]), trajectory.place_m[0])
        return cls(time_s[inside], payload, bodies)

    def at(self, time_s: float) -> int:
        """Return the index of the last sample not after `time_s`."""
        return max(0, int(np.searchsorted(self.time_s, time_s + 1e-9)) - 1)


def _unit(quaternions: Floats) -> Floats:
    unit: Floats = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
    return unit
