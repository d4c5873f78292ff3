"""Our supervisor: starts programs, waits until they work, restarts what dies, and ends everything in order."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from cli.errors import CannotGoOnError
from cli.program import Child, Program

RESTARTS = 5
RESTART_WINDOW_S = 60.0
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

    def program(self) -> Program:
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
        self.child: Child | None = None
        self._restarts_at_s: deque[float] = deque(maxlen=RESTARTS)

    def start(self) -> None:
        """Lay out and start it; do not wait."""
        self.startable.prepare()
        self.child = Child(self.startable.program())

    def dead(self) -> bool:
        """Tell whether it was started and has ended."""
        return self.child is not None and self.child.exit_code() is not None

    def wait_ready(self) -> None:
        """Return when it works; raise `CannotGoOnError` when it ended or takes too long. Safe in any thread."""
        deadline = time.monotonic() + READY_S
        while not self.startable.ready():
            if self.child is None or self.dead():
                raise self.gone_for_good("did not start")
            if time.monotonic() > deadline:
                raise self.gone_for_good(f"was not ready within {READY_S:g} s")
            time.sleep(POLL_S)

    def may_restart(self) -> bool:
        """Count a restart; False when there were too many of them lately."""
        now = time.monotonic()
        full = len(self._restarts_at_s) == RESTARTS
        if full and now - self._restarts_at_s[0] < RESTART_WINDOW_S:
            return False
        self._restarts_at_s.append(now)
        return True

    def gone_for_good(self, what: str) -> CannotGoOnError:
        """Return the error that tells the user what its log says."""
        if self.child is None:
            return CannotGoOnError(f"{self.startable.name} {what}")
        log = self.child.program.log
        return CannotGoOnError(f"{self.startable.name} {what}: {self.child.last_words()} (whole log: {log})")


class Supervisor:
    """Keeps programs alive. Start it from the main thread; see `Child`."""

    def __init__(self, on_restart: Callable[[str], None] = lambda _name: None) -> None:
        """`on_restart` is told the name of each program that died and is started again."""
        self._batches: list[list[Supervised]] = []
        self._on_restart = on_restart

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
            for one in [each for each in self._all() if each.dead()]:
                if not one.may_restart():
                    raise one.gone_for_good(f"died more than {RESTARTS} times within {RESTART_WINDOW_S:g} s")
                self._on_restart(one.startable.name)
                one.start()
                settling.add(asyncio.create_task(self._settle(one)))
            for settled in [each for each in settling if each.done()]:
                settling.remove(settled)
                settled.result()
            await asyncio.sleep(WATCH_S)

    async def _settle(self, one: Supervised) -> None:
        """Wait until a restarted program works; one that dies at once is met again in the next round."""
        try:
            await asyncio.to_thread(one.wait_ready)
        except CannotGoOnError:
            if not one.dead():
                raise

    def pids(self) -> dict[str, int]:
        """Return the process ids of what runs, by name."""
        return {one.startable.name: one.child.pid for one in self._all() if one.child is not None and not one.dead()}

    def stop(self) -> None:
        """End everything, the last batch first. Nothing is left afterwards."""
        while self._batches:
            self.stop_last_batch()

    def stop_last_batch(self) -> None:
        """Ask all of the last batch to end in order; kill what lingers. Safe in any thread."""
        children = [one.child for one in self._batches.pop() if one.child is not None]
        for child in children:
            child.ask_to_stop()
        begun = time.monotonic()
        for child in children:
            child.end(begun + child.program.patience_s)

    def _all(self) -> list[Supervised]:
        return [one for batch in self._batches for one in batch]
