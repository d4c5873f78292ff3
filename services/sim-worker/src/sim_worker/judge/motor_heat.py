"""Heat of motors: how long each works above a torque, within any window of a few thermal limits.

A winding that has been heated cools over minutes: pauses of milliseconds between two stalls do not help it. The time
above the continuous torque is therefore summed over a sliding window. Stall torque for the moment of a start heats
nothing, so that time is judged and not the peak.
"""

import numpy as np

from sim_worker.judge.hold_timer import Flags
from sim_worker.units import Floats


class TimeWithin:
    """For how long each of `k` conditions held within its window. Feed every chunk once, in order."""

    def __init__(self, windows_s: Floats, step_s: float) -> None:
        self._step_s = step_s
        self._steps = np.maximum(1, np.round(windows_s / step_s)).astype(np.intp)
        self._counts = np.zeros((int(self._steps.max(initial=1)) + 1, len(windows_s)), dtype=np.intp)
        """Of the last steps: for how many steps each condition had held until then, since the start."""
        self._held = np.zeros(len(windows_s), dtype=np.bool_)

    def seconds(self, holds: Flags) -> Floats:
        """Return (n, k) seconds for which conditions held within the window that ends at each step.

        A condition that holds at a step holds until the next one.
        """
        until = np.vstack([self._held, holds[:-1]])
        self._held = holds[-1].copy()
        known = np.vstack([self._counts, self._counts[-1] + np.cumsum(until, axis=0)])
        before = len(self._counts)
        rows = np.arange(before, len(known))[:, None] - self._steps
        within: Floats = (known[before:] - np.take_along_axis(known, rows, axis=0)).astype(np.float64) * self._step_s
        self._counts = known[len(holds) :]
        return within
