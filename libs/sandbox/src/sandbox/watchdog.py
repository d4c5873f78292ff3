"""Watchdog: measures from outside what no limit of the system covers, namely resident memory, threads and disk.

RLIMIT_DATA does not count every kind of memory, Linux counts threads by user, and quotas on folders are rare. A child
that exceeds a limit is killed.
"""

import asyncio
import contextlib
import logging
import signal
from dataclasses import dataclass
from pathlib import Path

from sandbox.disk import measure
from sandbox.memory import available_mib
from sandbox.zygote.client import ConfinedChild

_MIB = 1 << 20
_KIB_FIELDS = ("RssAnon", "RssShmem")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Allowance:
    """Limits of one child, and of all together."""

    memory_mib: int = 2048
    """Resident memory that it shares with no other process."""
    threads: int = 200
    disk_mib: int = 512
    entries: int = 5000
    """Files and folders in its workspace."""
    spare_memory_mib: int = 256
    """Memory that the machine, or the container, must have left; below it, the largest child is killed."""


@dataclass(frozen=True)
class ResourceUsage:
    """Resources that one child uses now."""

    memory_mib: float
    threads: int


class Watchdog:
    """Measures every watched child and its workspace, twice a second by default."""

    def __init__(self, allowance: Allowance | None = None, interval_s: float = 0.5) -> None:
        self._allowance = allowance or Allowance()
        self._interval_s = interval_s
        self._watched: dict[ConfinedChild, Path] = {}
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to measure."""
        self._task = asyncio.create_task(self._run(), name="watchdog")

    async def stop(self) -> None:
        """Stop measuring."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    def watch(self, child: ConfinedChild, workspace: Path) -> None:
        """Watch a child until it ends."""
        self._watched[child] = workspace
        child.exited.add_done_callback(lambda _: self._watched.pop(child, None))

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._interval_s)
            watched = dict(self._watched)
            for child, excess in (await asyncio.to_thread(self._offenders, watched)).items():
                if child in self._watched and child.killed_for is None:
                    _log.warning("child %d is killed: %s", child.pid, excess)
                    child.killed_for = excess
                    child.signal(signal.SIGKILL)

    def _offenders(self, watched: dict[ConfinedChild, Path]) -> dict[ConfinedChild, str]:
        """Return the excess of each child that must be killed."""
        used = {child: usage for child in watched if (usage := usage_of(child.pid)) is not None}
        found = {child: excess for child, usage in used.items() if (excess := self._excess(usage, watched[child]))}
        spare_mib = available_mib()
        if used and spare_mib < self._allowance.spare_memory_mib:
            largest = max(used, key=lambda child: used[child].memory_mib)
            held_mib = used[largest].memory_mib
            found[largest] = f"there were {spare_mib:.0f} MiB left, and it held {held_mib:.0f} MiB, more than any other"
        return found

    def _excess(self, usage: ResourceUsage, workspace: Path) -> str | None:
        most = self._allowance
        if usage.memory_mib > most.memory_mib:
            return f"it held {usage.memory_mib:.0f} MiB of memory; at most {most.memory_mib} MiB are allowed"
        if usage.threads > most.threads:
            return f"it ran {usage.threads} threads; at most {most.threads} are allowed"
        size = measure(workspace, most.entries)
        if size.entries > most.entries:
            return f"its workspace held more than {most.entries} files or folders, or very deep ones"
        if size.bytes > most.disk_mib * _MIB:
            return f"its workspace held more than {most.disk_mib} MiB"
        return None


def usage_of(pid: int) -> ResourceUsage | None:
    """Return what a process uses now; None when it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = dict(line.split(":", 1) for line in lines)
    if "RssAnon" not in fields:  # a zombie
        return None
    kib = sum(int(fields[name].split()[0]) for name in _KIB_FIELDS)
    return ResourceUsage(memory_mib=kib / 1024, threads=int(fields["Threads"]))
