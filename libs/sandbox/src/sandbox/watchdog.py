"""What no limit of the system covers is measured from outside, again and again: memory, threads, disk.

A limit on data does not count every kind of memory, threads are counted by user, and quotas on folders are rare. A
child that takes too much is killed; its session goes on in a new kernel and is told why.
"""

import asyncio
import contextlib
import logging
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sandbox.disk import measure
from sandbox.memory import available_mib

_MIB = 1 << 20
_REMOVED = "files that cells wrote are removed"
_KIB_FIELDS = ("RssAnon", "RssShmem")

_log = logging.getLogger(__name__)


class Watched(Protocol):
    """A child, as far as a watchdog needs it."""

    pid: int
    killed_for: str | None

    def signal(self, number: int) -> None:
        """Send it a signal if it still lives."""
        ...


@dataclass(frozen=True)
class Allowance:
    """What one child may take."""

    memory_mib: int = 2048
    """Resident memory that it shares with nobody."""
    threads: int = 200
    disk_mib: int = 512
    entries: int = 5000
    """Files and folders in its workspace."""
    spare_memory_mib: int = 256
    """What the machine, or the container, must have left; below it, the child that holds most is killed."""


@dataclass(frozen=True)
class Taken:
    """What one child holds now."""

    memory_mib: float
    threads: int


class Watchdog:
    """Looks at every child twice a second, and at every workspace."""

    def __init__(self, allowance: Allowance | None = None, every_s: float = 0.5) -> None:
        self._allowance = allowance or Allowance()
        self._every_s = every_s
        self._watched: dict[Watched, Path] = {}
        self._looking: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to look."""
        self._looking = asyncio.create_task(self._look(), name="watchdog")

    async def stop(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._looking
            self._looking = None

    def watch(self, child: Watched, workspace: Path) -> None:
        """Look at this child from now on."""
        self._watched[child] = workspace

    def leave(self, child: Watched) -> None:
        """Look at it no more: it has ended."""
        self._watched.pop(child, None)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(self._every_s)
            watched = dict(self._watched)
            for child, problem in (await asyncio.to_thread(self._offenders, watched)).items():
                if child in self._watched and child.killed_for is None:
                    _log.warning("child %d is killed: %s", child.pid, problem)
                    child.killed_for = problem
                    child.signal(signal.SIGKILL)

    def _offenders(self, watched: dict[Watched, Path]) -> dict[Watched, str]:
        taken = {child: held for child in watched if (held := taken_by(child.pid)) is not None}
        found = {child: problem for child, held in taken.items() if (problem := self._excess(held, watched[child]))}
        spare_mib = available_mib()
        if taken and spare_mib < self._allowance.spare_memory_mib:
            largest = max(taken, key=lambda child: taken[child].memory_mib)
            held_mib = taken[largest].memory_mib
            found[largest] = f"there were {spare_mib:.0f} MiB left, and it held {held_mib:.0f} MiB, more than any other"
        return found

    def _excess(self, taken: Taken, workspace: Path) -> str | None:
        most = self._allowance
        if taken.memory_mib > most.memory_mib:
            return f"it held {taken.memory_mib:.0f} MiB of memory; at most {most.memory_mib} MiB are allowed"
        if taken.threads > most.threads:
            return f"it ran {taken.threads} threads; at most {most.threads} are allowed"
        size = measure(workspace, most.entries)
        if size.entries > most.entries:
            return f"its workspace held more than {most.entries} files or folders, or very deep ones; {_REMOVED}"
        if size.bytes > most.disk_mib * _MIB:
            return f"its workspace held more than {most.disk_mib} MiB; {_REMOVED}"
        return None


def taken_by(pid: int) -> Taken | None:
    """Return what a process holds now; None when it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = dict(line.split(":", 1) for line in lines)
    if "RssAnon" not in fields:  # a zombie holds nothing
        return None
    kib = sum(int(fields[name].split()[0]) for name in _KIB_FIELDS)
    return Taken(memory_mib=kib / 1024, threads=int(fields["Threads"]))
