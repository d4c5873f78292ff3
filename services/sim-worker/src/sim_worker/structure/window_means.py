"""Means of readings over windows that follow each other."""

import numpy as np

from sim_worker.run.readings import Readings
from sim_worker.units import Floats


class WindowMeans:
    """Means over windows of a number of steps. Feed every chunk once, in order; the rest waits for the next chunk."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._rest: Readings | None = None

    def means(self, readings: Readings) -> Readings:
        """Return the readings of all windows that are complete; their times are those of the windows' last steps.

        The centre of a contact is a mean by its force: without a contact, MuJoCo reports the origin.
        """
        known = readings if self._rest is None else Readings.joined([self._rest, readings])
        windows = len(known.time_s) // self._steps
        used = windows * self._steps
        self._rest = known[used:]
        rows = known.rows[:used].copy()
        first = np.array(list(known.layout.contact_loads.values()), dtype=np.intp)[:, None]
        force_n: Floats = np.linalg.norm(rows[:, first + np.arange(3)], axis=2, keepdims=True)
        rows[:, first + np.arange(6, 9)] *= force_n
        means: Floats = rows.reshape(windows, self._steps, rows.shape[1]).mean(axis=1)
        weight = force_n.reshape(windows, self._steps, *force_n.shape[1:]).mean(axis=1)
        means[:, first + np.arange(6, 9)] /= np.where(weight > 0, weight, 1.0)
        return Readings(known.time_s[self._steps - 1 : used : self._steps], means, known.layout)
