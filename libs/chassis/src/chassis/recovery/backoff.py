"""How long to wait between tries."""

import random


def backoff_s(tries: int, first_s: float, last_s: float) -> float:
    """Return the pause after so many tries, in seconds: doubling, limited, with jitter against stampedes."""
    return min(first_s * 2.0 ** min(tries - 1, 30), last_s) * random.uniform(0.75, 1.25)  # noqa: S311 - no secret
