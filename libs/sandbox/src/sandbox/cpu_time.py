"""Time limits of confined children by CPU time: what a child may do does not depend on how busy the machine is."""

import asyncio
import os
import time
from collections.abc import Awaitable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

WALL_FACTOR = 10.0
"""How much longer than its CPU time a child may take: one that sleeps or waits uses none."""
LOOK_AGAIN_S = 0.1
_USER_FIELD, _SYSTEM_FIELD = 11, 12
"""In /proc/PID/stat, counted from the field after the program's name, which may contain anything."""
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")

T = TypeVar("T")


class TimeLimitError(TimeoutError):
    """A child has used up its time; the message is the time, such as `120 s of CPU time`."""


class TimeBudget:
    """The time that one child may still use. It counts only while the host waits for the child in `during`."""

    def __init__(self, pid: int, cpu_s: float) -> None:
        self._pid = pid
        self._cpu_s, self._wall_s = cpu_s, WALL_FACTOR * cpu_s
        self._cpu_left_s, self._wall_left_s = self._cpu_s, self._wall_s

    async def during(self, work: Awaitable[T]) -> T:
        """Return the result of `work`; raise `TimeLimitError`, and cancel it, when the time is used up."""
        task = asyncio.ensure_future(work)
        began_s, used_s = time.monotonic(), cpu_s_of(self._pid)
        cpu_left_s, wall_left_s = self._cpu_left_s, self._wall_left_s
        try:
            while not task.done():
                await asyncio.wait({task}, timeout=max(LOOK_AGAIN_S, min(self._cpu_left_s, self._wall_left_s)))
                self._cpu_left_s = min(self._cpu_left_s, cpu_left_s - (cpu_s_of(self._pid) - used_s))
                self._wall_left_s = wall_left_s - (time.monotonic() - began_s)
                if not task.done():
                    self._require_time()
            return task.result()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _require_time(self) -> None:
        if self._cpu_left_s <= 0:
            raise TimeLimitError(f"{self._cpu_s:g} s of CPU time")
        if self._wall_left_s <= 0:
            raise TimeLimitError(f"{self._wall_s:g} s")


def cpu_s_of(pid: int) -> float:
    """Return the CPU time that all threads of a process have used; 0 if it is gone."""
    with suppress(FileNotFoundError, ProcessLookupError):
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return (int(fields[_USER_FIELD]) + int(fields[_SYSTEM_FIELD])) / _TICKS_PER_S
    return 0.0
