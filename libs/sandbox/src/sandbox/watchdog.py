"""Watchdog: measures from outside what no limit of the system covers, namely resident memory, threads and disk.

RLIMIT_DATA does not count every kind of memory, Linux counts threads by user, and quotas on folders are rare. A child
that exceeds a limit is killed, and so is one whose use cannot be measured. No child outlives the watchdog.
"""

import asyncio
import logging
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sandbox.disk import free_disk_mib, measure
from sandbox.memory import available_mib
from sandbox.thread_guard import ThreadGuard
from sandbox.usage import ResourceUsage, usage_of
from sandbox.zygote.client import ConfinedChild

INTERVAL_S = 0.1
"""Between two looks at memory."""
_ROUNDS_PER_FULL_LOOK = 5
"""A look at disk and at the machine takes longer, and is taken in every fifth round."""
_MAX_FAILED_ROUNDS = 10
_LEAST_DISK_MIB = 16
"""When the disk is nearly full, a child that holds less is not the cause."""
_MIB = 1 << 20
_SURPRISES = (OSError, ValueError, LookupError)

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Allowance:
    """Limits of one child, and of all together."""

    memory_mib: int = 2048
    """Resident memory that it shares with no other process, and its page tables."""
    threads: int = 200
    disk_mib: int = 512
    entries: int = 5000
    """Files and folders in its workspace."""
    spare_memory_mib: int = 256
    """Memory that the machine, or the container, must have left; below it, the largest child is killed."""
    spare_disk_mib: int = 256
    """The same for the file system of the workspaces."""


Watched = dict[ConfinedChild, Path]
"""Children and their workspaces."""
Offenders = dict[ConfinedChild, str]
"""Children that must be killed, and what each has exceeded."""


class Watchdog:
    """Measures every watched child and its workspace."""

    def __init__(self, allowance: Allowance | None = None) -> None:
        self._allowance = allowance or Allowance()
        self._watched: Watched = {}
        self._task: asyncio.Task[None] | None = None
        self._is_disk_short = False
        self._thread_guard = ThreadGuard(self._allowance.threads, self._kill)
        self.problem: str | None = None
        """Why it measures no longer, though it was not stopped."""

    async def start(self) -> None:
        """Begin to measure."""
        self._thread_guard.start(asyncio.get_running_loop())
        self._task = asyncio.create_task(self._run(), name="watchdog")

    async def stop(self) -> None:
        """Stop measuring."""
        self._thread_guard.stop()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None

    async def failure(self) -> str:
        """Wait until it can measure no longer, and return why."""
        assert self._task is not None, "start the watchdog first"
        await asyncio.wait([self._task])
        return self.problem or "the watchdog was stopped"

    def watch(self, child: ConfinedChild, workspace: Path) -> None:
        """Watch a child until it ends."""
        self._watched[child] = workspace
        self._thread_guard.watch(child)
        child.exited.add_done_callback(lambda _: self._forget(child))

    def _forget(self, child: ConfinedChild) -> None:
        self._watched.pop(child, None)
        self._thread_guard.forget(child)

    async def _run(self) -> None:
        try:
            await self._watch()
        except Exception as error:
            self.problem = f"the watchdog has ended: {error!r}; restart the worker"
            _log.exception("all children are killed, since none can be watched any more")
            for child in list(self._watched):
                self._kill(child, self.problem)
            raise

    async def _watch(self) -> None:
        rounds = failed = 0
        while True:
            await asyncio.sleep(INTERVAL_S)
            rounds += 1
            if not self._watched:
                continue
            try:
                found = await self._look(is_full=rounds % _ROUNDS_PER_FULL_LOOK == 0)
            except _SURPRISES as error:
                failed += 1
                _log.warning("round %d in a row in which children could not be measured: %r", failed, error)
                if failed >= _MAX_FAILED_ROUNDS:
                    raise
                continue
            failed = 0
            for child, excess in found.items():
                self._kill(child, excess)

    async def _look(self, *, is_full: bool) -> Offenders:
        watched = dict(self._watched)
        used, found = self._offenders(watched)
        if is_full and used:
            found = self._largest_if_memory_is_short(used) | found
            found = await asyncio.to_thread(self._disk_offenders, watched) | found
        return found

    def _kill(self, child: ConfinedChild, excess: str) -> None:
        if child in self._watched and child.killed_for is None:
            _log.warning("child %d is killed: %s", child.pid, excess)
            child.killed_for = excess
            child.signal(signal.SIGKILL)

    def _offenders(self, watched: Watched) -> tuple[dict[ConfinedChild, ResourceUsage], Offenders]:
        """Return what each child uses, and the children with too much memory or too many threads."""
        used: dict[ConfinedChild, ResourceUsage] = {}
        found: Offenders = {}
        for child in watched:
            try:
                usage = usage_of(child.pid)
            except (ValueError, LookupError) as error:
                found[child] = f"what it uses cannot be read: {error!r}"
                continue
            if usage is not None:
                used[child] = usage
                if excess := self._excess(usage):
                    found[child] = excess
        return used, found

    def _largest_if_memory_is_short(self, used: dict[ConfinedChild, ResourceUsage]) -> Offenders:
        spare_mib = available_mib()
        if spare_mib >= self._allowance.spare_memory_mib or _is_dying(used):
            return {}
        largest = max(used, key=lambda child: used[child].memory_mib)
        held_mib = used[largest].memory_mib
        return {largest: f"there were {spare_mib:.0f} MiB left, and it held {held_mib:.0f} MiB, more than any other"}

    def _excess(self, usage: ResourceUsage) -> str | None:
        most = self._allowance
        if usage.memory_mib > most.memory_mib:
            return f"it held {usage.memory_mib:.0f} MiB of memory; at most {most.memory_mib} MiB are allowed"
        if usage.threads > most.threads:
            return f"it ran {usage.threads} threads; at most {most.threads} are allowed"
        return None

    def _disk_offenders(self, watched: Watched) -> Offenders:
        """Return the children whose workspaces are too large, and the largest if the disk is nearly full."""
        most = self._allowance
        held_mib: dict[ConfinedChild, float] = {}
        found: Offenders = {}
        for child, workspace in watched.items():
            size = measure(workspace, most.entries)
            held_mib[child] = size.bytes / _MIB
            if size.is_hidden:
                found[child] = "its workspace held a folder that cannot be listed"
            elif size.entries > most.entries:
                found[child] = f"its workspace held more than {most.entries} files or folders, or very deep ones"
            elif held_mib[child] > most.disk_mib:
                found[child] = f"its workspace held more than {most.disk_mib} MiB"
        largest = max(watched, key=lambda child: held_mib[child])
        free_mib = free_disk_mib(watched[largest].parent)
        was_short, self._is_disk_short = self._is_disk_short, free_mib < most.spare_disk_mib
        if self._is_disk_short and held_mib[largest] >= _LEAST_DISK_MIB:
            if not _is_dying(watched):
                share = f"its workspace held {held_mib[largest]:.0f} MiB, more than any other"
                found.setdefault(largest, f"there were {free_mib:.0f} MiB of disk left, and {share}")
        elif self._is_disk_short and not was_short:
            _log.warning("there are %.0f MiB of disk left, and no child holds a large part of it", free_mib)
        return found


def _is_dying(watched: Iterable[ConfinedChild]) -> bool:
    """Return whether a killed child has not released yet what it held."""
    return any(child.killed_for is not None for child in watched)
