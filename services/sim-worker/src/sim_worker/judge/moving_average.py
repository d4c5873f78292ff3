"""Means over a short window: what a fastener or a power supply feels of a load that MuJoCo reports step by step."""

import numpy as np

from sim_worker.units import Floats

WINDOW_S = 0.01
"""A rigid contact stops a body within one or two steps, so that its force there is the momentum over the step, however
small that is made. Real parts give way for milliseconds. The mean over 10 ms keeps the momentum and not the spike."""


def window_steps(step_s: float) -> int:
    """Return how many steps a window has."""
    return max(1, round(WINDOW_S / step_s))


class MovingMean:
    """The mean of `k` values over the last window, piece by piece; before the first step there was no load."""

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
        """Return whether any mean of this piece can lie above its (k,) limit; if none can, the piece is taken in."""
        is_possible = bool((values > limits).any() or (self._before > limits).any())
        if not is_possible:
            self._before = np.concatenate([self._before, values])[len(values) :]
        return is_possible
