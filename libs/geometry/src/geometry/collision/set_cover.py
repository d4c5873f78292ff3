"""Removal of redundant pieces from a cover by overlapping pieces."""

from collections.abc import Sequence

import numpy as np

from geometry.arrays import IntArray


def needed_covers(covers: Sequence[IntArray], count: int) -> list[int]:
    """Return which covers to keep so that each of `count` targets stays covered; the smallest are dropped first."""
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
