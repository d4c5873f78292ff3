"""Motion of payload and bodies for pictures: a track of poses for each, relative to its start."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sim_worker.run.trajectory import Trajectory
from sim_worker.units import Floats

STILL_M = 1e-6
STILL_COSINE = 1.0 - 1e-9
"""Of half the angle between two poses."""

Window = tuple[float, float]
"""Start and end, s."""


class NothingToFilmError(Exception):
    """The window contains no sample of the run."""


@dataclass(frozen=True)
class PoseTrack:
    """Poses of a frame at the centre of a thing, unrotated at the start of the run."""

    position_m: Floats
    """(n, 3)"""
    quaternion: Floats
    """(n, 4), w first, unit length"""
    start_m: Floats
    """(3,), its position at the start of the run"""

    @property
    def is_still(self) -> bool:
        """Whether the pose stays the same."""
        moved_m = np.abs(self.position_m - self.position_m[0]).max()
        cosine = np.abs(self.quaternion @ self.quaternion[0]).min()
        return bool(moved_m < STILL_M and cosine > STILL_COSINE)

    def is_same(self, sample: int, other: int) -> bool:
        """Whether the poses of two samples are equal."""
        moved_m = np.abs(self.position_m[sample] - self.position_m[other]).max()
        cosine = abs(float(self.quaternion[sample] @ self.quaternion[other]))
        return bool(moved_m < STILL_M and cosine > STILL_COSINE)


@dataclass(frozen=True)
class Motion:
    """The motion of a run, or of a window of it."""

    time_s: Floats
    """(n,), from the start of the run"""
    payload: PoseTrack
    bodies: Mapping[str, PoseTrack]
    """Of every body that can move, and of the payloads besides the first, by label."""
    more_payloads: tuple[str, ...] = ()
    """The payloads among the bodies."""

    @classmethod
    def of(cls, trajectory: Trajectory, window_s: Window | None = None) -> "Motion":
        """Return the motion of a trajectory; raise `NothingToFilmError` for an empty window."""
        time_s = trajectory.time_s
        low_s, high_s = window_s or (0.0, float(time_s[-1]))
        inside = np.flatnonzero((time_s >= low_s - 1e-9) & (time_s <= high_s + 1e-9))
        if not len(inside):
            raise NothingToFilmError(
                f"nothing was simulated between {low_s:g} s and {high_s:g} s: the run goes from 0 s to {time_s[-1]:g} s"
            )
        bodies = {
            label: PoseTrack(
                trajectory.body_m[inside, body],
                _normalised(trajectory.body_quaternion[inside, body]),
                trajectory.body_m[0, body],
            )
            for body, label in enumerate(trajectory.bodies)
        }
        quaternion = _normalised(trajectory.quaternion[inside])
        payload = PoseTrack(trajectory.position_m[inside], quaternion, trajectory.position_m[0])
        return cls(time_s[inside], payload, bodies, trajectory.more_payloads)

    @property
    def payloads(self) -> tuple[PoseTrack, ...]:
        """Of all payloads."""
        return (self.payload, *(self.bodies[label] for label in self.more_payloads))

    def sample_at(self, time_s: float) -> int:
        """Return the index of the last sample not after `time_s`."""
        return max(0, int(np.searchsorted(self.time_s, time_s + 1e-9)) - 1)

    def is_still_between(self, sample: int, later: int) -> bool:
        """Whether everything has the same pose at two samples."""
        return all(track.is_same(sample, later) for track in (self.payload, *self.bodies.values()))


def _normalised(quaternions: Floats) -> Floats:
    unit: Floats = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
    return unit
