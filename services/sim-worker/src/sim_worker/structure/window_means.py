"""Means of readings over windows that follow each other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim_worker.run.readings import Readings
from sim_worker.units import Floats


def weighted(readings: Readings) -> Readings:
    """Return readings with the centre of each contact times its force, and these forces as further columns.

    The centre of a contact is a mean by its force: without a contact, MuJoCo reports the origin.
    """
    first = _contact_loads(readings)
    force_n: Floats = np.linalg.norm(readings.rows[:, first + np.arange(3)], axis=2)
    rows = np.concatenate([readings.rows, force_n], axis=1)
    rows[:, first + np.arange(6, 9)] *= force_n[:, :, None]
    return Readings(readings.time_s, rows, readings.layout)


class WindowMeans:
    """Means over windows of a number of steps. Feed every chunk once, in order; the rest waits for the next chunk."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._rest: Readings | None = None

    def means(self, chunk: Readings) -> Readings:
        """Return the readings of all windows that are complete; their times are those of the windows' last steps.

        `chunk`: `weighted` readings.
        """
        known = chunk if self._rest is None else Readings.joined([self._rest, chunk])
        windows = len(known.time_s) // self._steps
        used = windows * self._steps
        self._rest = known[used:]
        means: Floats = known.rows[:used].reshape(windows, self._steps, known.rows.shape[1]).mean(axis=1)
        first = _contact_loads(known)
        weight = means[:, means.shape[1] - len(first) :, None]
        means[:, first + np.arange(6, 9)] /= np.where(weight > 0, weight, 1.0)
        return Readings(known.time_s[self._steps - 1 : used : self._steps], means, known.layout)


@dataclass(frozen=True)
class RunMeans:
    """What is kept of a run to judge the blows in it."""

    windows: Readings
    """Means over 10 ms; their times are those of the windows' last steps."""
    time_s: Floats
    """(n,), of the steps."""
    positions_m: Floats
    """(n, payloads, 3)"""
    velocities_m_s: Floats
    """(n, payloads, 3)"""

    @classmethod
    def of(cls, readings: Readings, steps: int) -> "RunMeans":
        """Return what is kept of readings; a run that is shorter than a window is one."""
        windows = WindowMeans(min(steps, len(readings.time_s))).means(weighted(readings))
        return cls.kept(windows, readings)

    @classmethod
    def kept(cls, windows: Readings, readings: Readings) -> "RunMeans":
        """Return what is kept of readings, and of the windows that are complete in them."""
        payloads = readings.payloads
        positions = np.stack([each.position_m for each in payloads], axis=1)
        return cls(windows, readings.time_s, positions, np.stack([each.velocity_m_s for each in payloads], axis=1))

    @classmethod
    def joined(cls, chunks: "list[RunMeans]") -> "RunMeans":
        """Return consecutive runs as one."""
        return cls(
            Readings.joined([chunk.windows for chunk in chunks]),
            np.concatenate([chunk.time_s for chunk in chunks]),
            np.concatenate([chunk.positions_m for chunk in chunks]),
            np.concatenate([chunk.velocities_m_s for chunk in chunks]),
        )

    def until(self, time_s: float) -> "RunMeans":
        """Return the beginning of the run."""
        row, step = (int(np.searchsorted(each, time_s, side="right")) for each in (self.windows.time_s, self.time_s))
        return RunMeans(self.windows[:row], self.time_s[:step], self.positions_m[:step], self.velocities_m_s[:step])


def _contact_loads(readings: Readings) -> NDArray[np.intp]:
    """(bodies with a strength, 1), the first column of each contact load"""
    return np.array(list(readings.layout.contact_loads.values()), dtype=np.intp)[:, None]
