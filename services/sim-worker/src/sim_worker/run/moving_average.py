"""Moving averages over a short window: the load that a fastener or a power supply feels.

A rigid contact stops a body within one or two steps, so that its force there is the momentum over the step, however
short the step is. Real parts give way for milliseconds. The mean over 10 ms keeps the momentum and not the spike.
"""

import numpy as np

from sim_worker.units import Floats

WINDOW_S = 0.01


def window_steps(step_s: float) -> int:
    """Return the number of steps in a window."""
    return max(1, round(WINDOW_S / step_s))


class MovingAverage:
    """Averages of `k` values over the last window, chunk by chunk; the values before the first step are zero."""

    def __init__(self, values: int, steps: int) -> None:
        self._steps = steps
        self._before = np.zeros((steps - 1, values))

    def means(self, values: Floats) -> Floats:
        """Return (n, k) means over the window that ends at each step, from (n, k) values."""
        known = np.concatenate([self._before, values])
        self._before = known[len(values) :]
        windows = np.lib.stride_tricks.sliding_window_view(known, self._steps, axis=0)
        means: Floats = windows.mean(axis=-1)
        return means

    def may_exceed(self, values: Floats, limits: Floats) -> bool:
        """Return whether any mean of this chunk can exceed its (k,) limit. If none can, the chunk counts as taken, and
        `means` must not be called for it."""
        is_possible = bool((values > limits).any() or (self._before > limits).any())
        if not is_possible:
            self._before = np.concatenate([self._before, values])[len(values) :]
        return is_possible
