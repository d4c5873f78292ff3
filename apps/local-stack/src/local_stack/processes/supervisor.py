"""The supervisor: starts programs, waits until they are ready, restarts dead ones, and stops everything in order."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from local_stack.errors import UserError
from local_stack.processes.child_process import ChildProcess, ProcessSpec
from local_stack.processes.log_files import MAX_LOG_BYTES, rotate

MAX_RESTARTS = 5
"""How many deaths within `RESTART_WINDOW_S` are answered with a restart; a setting of the command."""
RESTART_WINDOW_S = 60.0
FIRST_PAUSE_S = 0.25
"""Before the second restart within the window; the first one comes at once. Twice as long before the third."""
LAST_PAUSE_S = 8.0
READY_S = 180.0
"""How long a start may take on a busy machine. A program that dies meanwhile ends the wait at once."""
POLL_S = 0.05
WATCH_S = 0.2


class Startable(Protocol):
    """A program that can be restarted with the same ports and the same data."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    def prepare(self) -> None:
        """Create its files and folders, unless they exist."""
        ...

    def program(self) -> ProcessSpec:
        """Return the process to start."""
        ...

    def ready(self) -> bool:
        """Ask it once whether it works."""
        ...


class Supervised:
    """One program and its present child process."""

    def __init__(self, startable: Startable) -> None:
        """Start nothing yet."""
        self.startable = startable
        self.child: ChildProcess | None = None
        self.restart_at_s: float | None = None
        """When to restart it, by the monotonic clock; None unless it has died."""
        self.is_stopping = False
        """Whether it is stopped on purpose, and will be started again."""
        self._deaths_at_s: deque[float] = deque()

    def start(self) -> None:
        """Prepare and start it; do not wait."""
        self.restart_at_s = None
        self.startable.prepare()
        self.child = self.startable.program().start()

    def stop(self) -> None:
        """Stop it in order, or kill it if it takes too long."""
        if self.child is not None:
            self.child.request_stop()
            self.child.end_by(time.monotonic() + self.child.spec.patience_s)

    def has_died(self) -> bool:
        """Return whether it was started and has ended."""
        return self.child is not None and self.child.exit_code() is not None

    def wait_ready(self) -> None:
        """Return when it works; raise `UserError` when it ended or takes too long. Safe in any thread."""
        deadline = time.monotonic() + READY_S
        while not self.startable.ready():
            if self.child is None or self.has_died():
                raise self.fatal_error("did not start")
            if time.monotonic() > deadline:
                raise self.fatal_error(f"was not ready within {READY_S:g} s")
            time.sleep(POLL_S)

    def record_death(self) -> int:
        """Plan the restart; return how many deaths there were within the window."""
        now = time.monotonic()
        while self._deaths_at_s and now - self._deaths_at_s[0] > RESTART_WINDOW_S:
            self._deaths_at_s.popleft()
        self._deaths_at_s.append(now)
        deaths = len(self._deaths_at_s)
        pause_s = 0.0 if deaths == 1 else min(FIRST_PAUSE_S * 2 ** (deaths - 2), LAST_PAUSE_S)
        self.restart_at_s = now + pause_s
        return deaths

    def describe_death(self) -> str:
        """Return name, exit code and log as one line."""
        if self.child is None:
            return self.startable.name
        code = self.child.exit_code() or 0
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return f"{self.startable.name} died ({how}; log: {self.child.spec.log})"

    def fatal_error(self, what: str) -> UserError:
        """Return an error with the end of its log."""
        if self.child is None:
            return UserError(f"{self.startable.name} {what}")
        log = self.child.spec.log
        return UserError(f"{self.startable.name} {what}: {self.child.log_tail()} (whole log: {log})")


class Supervisor:
    """Keeps programs running. Start them from the main thread; see `ChildProcess`."""

    def __init__(
        self,
        report: Callable[[str], None] = lambda _line: None,
        max_restarts: int = MAX_RESTARTS,
        max_log_bytes: int = MAX_LOG_BYTES,
    ) -> None:
        """`report` receives a line for each program that died and is restarted."""
        self._max_log_bytes = max_log_bytes
        self._batches: list[list[Supervised]] = []
        self._report = report
        self._max_restarts = max_restarts
        self.is_paused: Callable[[], bool] = lambda: False
        """While it returns true, what dies is not restarted, and its death does not count: the disk is full."""

    def launch(self, startables: Sequence[Startable]) -> None:
        """Start all of them in parallel, as one batch; do not wait. If one cannot be started, stop everything."""
        batch: list[Supervised] = []
        self._batches.append(batch)
        try:
            for startable in startables:
                batch.append(Supervised(startable))
                batch[-1].start()
        except BaseException:
            self.stop()
            raise

    def wait_until_ready(self) -> None:
        """Return when all programs work; raise `UserError` when one does not. Safe in any thread."""
        for one in self._all():
            one.wait_ready()

    async def watch(self) -> None:
        """Restart programs that die, and rotate logs, for ever; raise `UserError` when a program keeps dying.

        Restarts do not wait for each other: a service is not ready before the server that died with it is.
        """
        restarted: set[asyncio.Task[None]] = set()
        while True:
            for one in self._all():
                if one.child is not None:
                    rotate(one.child.spec.log, self._max_log_bytes)
            for one in [each for each in self._all() if each.has_died() and not each.is_stopping]:
                if not self.is_paused() and self._is_due(one):
                    one.start()
                    restarted.add(asyncio.create_task(self._wait_restarted(one)))
            for task in [each for each in restarted if each.done()]:
                restarted.remove(task)
                task.result()
            await asyncio.sleep(WATCH_S)

    def _is_due(self, one: Supervised) -> bool:
        """Return whether to restart a dead program now; raise `UserError` when it has died too often."""
        if one.restart_at_s is None:
            if one.record_death() > self._max_restarts:
                raise one.fatal_error(f"died more than {self._max_restarts} times within {RESTART_WINDOW_S:g} s")
            pause_s = max(0.0, (one.restart_at_s or 0.0) - time.monotonic())
            self._report(f"{one.describe_death()} and is restarted" + (f" in {pause_s:.1f} s" if pause_s else ""))
        return time.monotonic() >= (one.restart_at_s or 0.0)

    async def _wait_restarted(self, one: Supervised) -> None:
        """Wait until a restarted program works; the watch itself notices one that dies again."""
        try:
            await asyncio.to_thread(one.wait_ready)
        except UserError:
            if not one.has_died():
                raise

    async def renew_servers(self) -> None:
        """Stop the programs of the first batch in order, one by one, and start each again."""
        for one in self._batches[0] if self._batches else []:
            one.is_stopping = True
            try:
                await asyncio.to_thread(one.stop)
                one.start()
            finally:
                one.is_stopping = False
            await self._wait_restarted(one)

    def pids(self) -> dict[str, int]:
        """Return the process ids of the running programs by name."""
        running = [one for one in self._all() if not one.has_died()]
        return {one.startable.name: one.child.pid for one in running if one.child is not None}

    def restart(self, name: str) -> None:
        """Start a program that has died, now; for callers without `watch`."""
        for one in self._all():
            if one.startable.name == name and one.has_died():
                one.start()

    def stop(self) -> None:
        """Stop everything, the last batch first. No process is left afterwards."""
        while self._batches:
            self.stop_last_batch()

    def stop_last_batch(self) -> None:
        """Ask all programs of the last batch to stop; kill those that do not in time. Safe in any thread."""
        children = [one.child for one in self._batches.pop() if one.child is not None]
        for child in children:
            child.request_stop()
        now = time.monotonic()
        for child in children:
            child.end_by(now + child.spec.patience_s)

    def _all(self) -> list[Supervised]:
        return [one for batch in self._batches for one in batch]
