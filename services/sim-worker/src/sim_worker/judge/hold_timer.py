"""How long something has held without a break, told piece by piece."""

import numpy as np
from numpy.typing import NDArray

from sim_worker.units import Floats

Flags = NDArray[np.bool_]
TICK_S = 1e-9
"""Less than any step: times are sums of steps and carry rounding."""
NOT = -1.0
"""Duration of what does not hold."""


class Lasting:
    """Watches `k` conditions of one replica; show it every piece once, in order."""

    def __init__(self, conditions: int) -> None:
        self._since_s = np.full(conditions, -np.inf)
        self._held = np.zeros(conditions, dtype=np.bool_)

    def forget(self) -> None:
        """Take in a piece in which nothing held."""
        self._since_s[:], self._held[:] = -np.inf, False

    def held_s(self, holds: Flags, time_s: Floats) -> Floats:
        """Return (n, k) seconds since when each condition has held, from (n, k) flags; `NOT` where it does not."""
        before = np.vstack([self._held, holds[:-1]])
        began_s = np.where(holds & ~before, time_s[:, None], -np.inf)
        began_s[0] = np.maximum(began_s[0], self._since_s)
        since_s = np.maximum.accumulate(began_s, axis=0)
        self._since_s, self._held = since_s[-1].copy(), holds[-1].copy()
        return np.where(holds, time_s[:, None] - since_s, NOT)
