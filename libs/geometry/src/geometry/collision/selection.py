"""Which of several overlapping pieces are needed."""

from collections.abc import Sequence

import numpy as np

from geometry.convexity import Indexes


def needed(covers: Sequence[Indexes], count: int) -> list[int]:
    """Return which covers to keep so that none of `count` targets loses its last one; the least ones go first."""
    times = np.zeros(count, dtype=np.int64)
    for cover in covers:
        times[cover] += 1
    kept: list[int] = []
    for index in sorted(range(len(covers)), key=lambda each: len(covers[each])):
        if (times[covers[index]] > 1).all():
            times[covers[index]] -= 1
        else:
            kept.append(index)
    return kept
