"""Disk watch: warns before a disk of the servers is full, and lets them write again when there is space again."""

import asyncio
from collections.abc import Awaitable, Callable

from chassis.disk_space import DiskSpace

WARNING_BYTES = 1 << 30
"""Free space at which the user is warned: some runs still fit."""
FULL_BYTES = 72 << 20
"""Free space at which servers fail to write, SeaweedFS first."""
RENEWED_BYTES = 2 * FULL_BYTES
"""Free space with which servers that failed are restarted."""
LOOK_S = 0.5

Renew = Callable[[], Awaitable[None]]


class DiskWatch:
    """Measures free space all the time."""

    def __init__(self, space: DiskSpace, report: Callable[[str], None], renew: Renew, look_s: float = LOOK_S) -> None:
        """`renew` restarts servers that go on failing after the disk was full."""
        self._space = space
        self._report = report
        self._renew = renew
        self._look_s = look_s
        self._was_scarce = False
        self._was_low = False
        self._was_full = False

    def is_low(self) -> bool:
        """Return whether new runs wait for space."""
        return self._space.problem() is not None

    def is_full(self) -> bool:
        """Return whether a disk is so full that servers fail."""
        least = self._space.least()
        return least is not None and least[0] < FULL_BYTES

    async def watch(self) -> None:
        """Run for ever."""
        while True:
            await self.look()
            await asyncio.sleep(self._look_s)

    async def look(self) -> None:
        """Measure once; report what has changed, and let servers that failed go on when there is space again."""
        least = self._space.least()
        if least is None:
            return
        free_bytes, folder = least
        problem = self._space.problem()
        if free_bytes < WARNING_BYTES and not self._was_scarce and problem is None:
            reserve_mb = self._space.reserve_bytes >> 20
            self._report(
                f"only {free_bytes >> 20} MB are free on the disk of {folder}: below {reserve_mb} MB new runs wait"
            )
        if problem is not None and not self._was_low:
            self._report(problem)
        if problem is None and self._was_low:
            self._report("there is space on the disk again: new runs begin")
        self._was_scarce, self._was_low = free_bytes < WARNING_BYTES, problem is not None
        self._was_full = self._was_full or free_bytes < FULL_BYTES
        if self._was_full and free_bytes > RENEWED_BYTES:
            self._was_full = False
            await self._renew()
