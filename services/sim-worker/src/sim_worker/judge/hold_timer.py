"""Timer of conditions that must hold without a break, fed with chunks of a run."""

import numpy as np
from numpy.typing import NDArray

from sim_worker.units import Floats

Flags = NDArray[np.bool_]
TICK_S = 1e-9
"""Less than any step, for comparing times: they are sums of steps and carry rounding errors."""
NOT_HELD = -1.0
"""Duration of a condition that does not hold."""


class HoldTimer:
    """Durations of `k` conditions of one replica. Feed every chunk once, in order."""

    def __init__(self, conditions: int) -> None:
        self._since_s = np.full(conditions, -np.inf)
        self._held = np.zeros(conditions, dtype=np.bool_)

    def reset(self) -> None:
        """Take a chunk in which no condition held."""
        self._since_s[:], self._held[:] = -np.inf, False

    def held_s(self, holds: Flags, time_s: Floats) -> Floats:
        """Return (n, k) durations of conditions from their (n, k) flags; `NOT_HELD` where one does not hold."""
        before = np.vstack([self._held, holds[:-1]])
        began_s = np.where(holds & ~before, time_s[:, None], -np.inf)
        began_s[0] = np.maximum(began_s[0], self._since_s)
        since_s = np.maximum.accumulate(began_s, axis=0)
        self._since_s, self._held = since_s[-1].copy(), holds[-1].copy()
        return np.where(holds, time_s[:, None] - since_s, NOT_HELD)
