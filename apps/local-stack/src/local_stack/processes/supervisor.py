"""Our supervisor: starts programs, waits until they work, restarts what dies, and ends everything in order."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from local_stack.errors import UserError
from local_stack.processes.program import ChildProcess, ProcessSpec

RESTARTS = 5
"""How often within `RESTART_WINDOW_S` something may die; a setting of the command."""
RESTART_WINDOW_S = 60.0
FIRST_PAUSE_S = 0.25
"""Before the second restart within the window; the first one comes at once. Twice as long before the third."""
LAST_PAUSE_S = 8.0
READY_S = 60.0
POLL_S = 0.05
WATCH_S = 0.2


class Startable(Protocol):
    """Something that can be started again with the same ports and the same data."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    def prepare(self) -> None:
        """Lay out what it needs on disk; harmless when done already."""
        ...

    def program(self) -> ProcessSpec:
        """Return what to start."""
        ...

    def ready(self) -> bool:
        """Ask it once, for real, whether it works."""
        ...


class Supervised:
    """One program and its present child."""

    def __init__(self, startable: Startable) -> None:
        """Nothing is started yet."""
        self.startable = startable
        self.child: ChildProcess | None = None
        self.restart_at_s: float | None = None
        """When it is due to be started again, None unless it has died."""
        self._deaths_at_s: deque[float] = deque()

    def start(self) -> None:
        """Lay out and start it; do not wait."""
        self.restart_at_s = None
        self.startable.prepare()
        self.child = ChildProcess(self.startable.program())

    def has_died(self) -> bool:
        """Tell whether it was started and has ended."""
        return self.child is not None and self.child.exit_code() is not None

    def wait_ready(self) -> None:
        """Return when it works; raise `CannotGoOnError` when it ended or takes too long. Safe in any thread."""
        deadline = time.monotonic() + READY_S
        while not self.startable.ready():
            if self.child is None or self.has_died():
                raise self.fatal_error("did not start")
            if time.monotonic() > deadline:
                raise self.fatal_error(f"was not ready within {READY_S:g} s")
            time.sleep(POLL_S)

    def record_death(self) -> int:
        """Count one more; return how many there were lately, and plan the restart."""
        now = time.monotonic()
        while self._deaths_at_s and now - self._deaths_at_s[0] > RESTART_WINDOW_S:
            self._deaths_at_s.popleft()
        self._deaths_at_s.append(now)
        deaths = len(self._deaths_at_s)
        pause_s = 0.0 if deaths == 1 else min(FIRST_PAUSE_S * 2 ** (deaths - 2), LAST_PAUSE_S)
        self.restart_at_s = now + pause_s
        return deaths

    def describe_death(self) -> str:
        """Return name, exit code and log, for one line."""
        if self.child is None:
            return self.startable.name
        code = self.child.exit_code() or 0
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return f"{self.startable.name} died ({how}; log: {self.child.program.log})"

    def fatal_error(self, what: str) -> UserError:
        """Return the error that tells the user what its log says."""
        if self.child is None:
            return UserError(f"{self.startable.name} {what}")
        log = self.child.program.log
        return UserError(f"{self.startable.name} {what}: {self.child.log_tail()} (whole log: {log})")


class Supervisor:
    """Keeps programs alive. Start it from the main thread; see `Child`."""

    def __init__(self, report: Callable[[str], None] = lambda _line: None, max_restarts: int = RESTARTS) -> None:
        """`say` is told, in one line, of each program that died and is started again."""
        self._batches: list[list[Supervised]] = []
        self._report = report
        self._most_restarts = max_restarts

    def launch(self, startables: Sequence[Startable]) -> None:
        """Start all of them side by side, as one batch; do not wait. Stops everything when one cannot be started."""
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
        """Return when everything works; raise `CannotGoOnError` when something does not. Safe in any thread."""
        for one in self._all():
            one.wait_ready()

    async def watch(self) -> None:
        """Restart what dies, for ever; raise `CannotGoOnError` when something keeps dying.

        Nobody waits for anybody: a service is not ready before the server that died with it is.
        """
        settling: set[asyncio.Task[None]] = set()
        while True:
            for one in [each for each in self._all() if each.has_died()]:
                if self._is_due(one):
                    one.start()
                    settling.add(asyncio.create_task(self._settle(one)))
            for settled in [each for each in settling if each.done()]:
                settling.remove(settled)
                settled.result()
            await asyncio.sleep(WATCH_S)

    def _is_due(self, one: Supervised) -> bool:
        """Tell whether to start again now what is dead; raise `CannotGoOnError` when it has died too often."""
        if one.restart_at_s is None:
            if one.record_death() > self._most_restarts:
                raise one.fatal_error(f"died more than {self._most_restarts} times within {RESTART_WINDOW_S:g} s")
            pause_s = max(0.0, (one.restart_at_s or 0.0) - time.monotonic())
            self._report(f"{one.describe_death()} and is started again" + (f" in {pause_s:.1f} s" if pause_s else ""))
        return time.monotonic() >= (one.restart_at_s or 0.0)

    async def _settle(self, one: Supervised) -> None:
        """Wait until a restarted program works; one that dies at once is met again in the next round."""
        try:
            await asyncio.to_thread(one.wait_ready)
        except UserError:
            if not one.has_died():
                raise

    def pids(self) -> dict[str, int]:
        """Return the process ids of what runs, by name."""
        return {
            one.startable.name: one.child.pid for one in self._all() if one.child is not None and not one.has_died()
        }

    def restart(self, name: str) -> None:
        """Start what has died, now; for those who do not `watch`."""
        for one in self._all():
            if one.startable.name == name and one.has_died():
                one.start()

    def stop(self) -> None:
        """End everything, the last batch first. Nothing is left afterwards."""
        while self._batches:
            self.stop_last_batch()

    def stop_last_batch(self) -> None:
        """Ask all of the last batch to end in order; kill what lingers. Safe in any thread."""
        children = [one.child for one in self._batches.pop() if one.child is not None]
        for child in children:
            child.request_stop()
        begun = time.monotonic()
        for child in children:
            child.end_by(begun + child.program.patience_s)

    def _all(self) -> list[Supervised]:
        return [one for batch in self._batches for one in batch]
