"""When something held, from flags that flicker."""

import numpy as np

from sim_worker.judge.hold_timer import Flags
from sim_worker.units import Floats

FLICKER_S = 0.05
"""A contact that opens for less than this has not been lost: what rests on something trembles."""


def intervals(holds: Flags, time_s: Floats) -> list[tuple[int, int]]:
    """Return first and last step of each time in which (n,) flags held, short breaks left out."""
    steps = np.flatnonzero(holds)
    if not len(steps):
        return []
    breaks = np.flatnonzero(np.diff(time_s[steps]) > FLICKER_S)
    firsts = np.concatenate([[0], breaks + 1])
    lasts = np.concatenate([breaks, [len(steps) - 1]])
    return [(int(steps[first]), int(steps[last])) for first, last in zip(firsts, lasts, strict=True)]
