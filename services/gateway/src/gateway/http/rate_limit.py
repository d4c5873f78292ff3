"""A limit on the requests of each caller: a token bucket, in the memory of this process."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MAX_CALLERS = 10_000
"""Remembered at once; the one that has been silent longest is forgotten."""
_BURST_SHARE = 0.25


@dataclass
class _Bucket:
    left: float
    filled_s: float


class RateLimit:
    """Admits so many requests per minute of each caller, a quarter of them at once."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s = per_minute / 60.0
        self._burst = max(1.0, per_minute * _BURST_SHARE)
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    @property
    def remembered(self) -> int:
        """Number of callers in memory."""
        return len(self._buckets)

    def wait_s(self, caller: str) -> float:
        """Count a request; return 0, or how long the caller must wait before it is admitted."""
        now_s = self._clock()
        bucket = self._buckets.pop(caller, None) or _Bucket(self._burst, now_s)
        bucket.left = min(self._burst, bucket.left + (now_s - bucket.filled_s) * self._per_s)
        bucket.filled_s = now_s
        self._buckets[caller] = bucket
        if len(self._buckets) > MAX_CALLERS:
            self._buckets.popitem(last=False)
        if bucket.left < 1.0:
            return (1.0 - bucket.left) / self._per_s
        bucket.left -= 1.0
        return 0.0
