"""The payload's way, thinned out to what people look at and digests are made of."""

from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO

import numpy as np

from sim_worker.gauges import Readings
from sim_worker.units import Floats, millimetres_each

SAMPLES_PER_S = 60


@dataclass(frozen=True)
class Trajectory:
    """Where the payload was, about 60 times a second and at the very end. SI."""

    time_s: Floats
    """(n,)"""
    place_m: Floats
    """(n, 3)"""
    quaternion: Floats
    """(n, 4), w first"""

    @classmethod
    def of(cls, readings: Readings) -> "Trajectory":
        """Return the samples of a run; the same run gives the same samples."""
        last = len(readings.time_s) - 1
        step_s = readings.time_s[1] - readings.time_s[0] if last else 1.0
        stride = max(1, round(1 / (SAMPLES_PER_S * step_s)))
        samples = np.unique(np.append(np.arange(0, last + 1, stride), last))
        return cls(readings.time_s[samples], readings.position_m[samples], readings.quaternion[samples])

    @property
    def digest(self) -> str:
        """Return the sha256 of all numbers, bit for bit."""
        columns = np.column_stack([self.time_s, self.place_m, self.quaternion])
        return sha256(columns.astype("<f8").tobytes()).hexdigest()

    def as_npz(self) -> bytes:
        """Return `time_s` (n,), `payload_mm` (n, 3) and `payload_quaternion` (n, 4), w first; no clock goes in."""
        file = BytesIO()
        np.savez(
            file,
            time_s=self.time_s,
            payload_mm=millimetres_each(self.place_m),
            payload_quaternion=self.quaternion,
        )
        return file.getvalue()

    def at(self, time_s: float) -> int:
        """Return the index of the last sample not after `time_s`."""
        return max(0, int(np.searchsorted(self.time_s, time_s + 1e-9)) - 1)
