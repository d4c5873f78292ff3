"""Whether Postgres answers, found out before a request waits for it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from chassis.background_tasks import SupervisedTask, cancel_and_wait
from store.database import DatabaseProbe
from store.errors import DatabaseOutageError

EVERY_S = 0.25
LOOK_S = 0.1
LOOKS = 14
"""So often it looks for the answer. Time in which this process does not run, on a busy machine, does not count."""


class DatabaseWatch:
    """A resource that asks Postgres again and again, from `start` to `stop`."""

    def __init__(self, probe: DatabaseProbe) -> None:
        self._probe = probe
        self._cause: BaseException | None = None
        self._deadlines: set[asyncio.Timeout] = set()
        self._task = SupervisedTask("asks Postgres whether it answers", self._watch)

    def problem(self) -> str | None:
        """Return why Postgres cannot be used, or None."""
        return self._task.problem() if self._cause is None else str(DatabaseOutageError(self._cause))

    async def start(self) -> None:
        """Begin to ask."""
        self._cause = None
        self._task.start()

    async def stop(self) -> None:
        """Ask no more."""
        await self._task.stop()
        await self._probe.close()

    @asynccontextmanager
    async def deadline(self, limit_s: float) -> AsyncGenerator[None]:
        """Limit the time of a block that reads from Postgres; in an outage, end it at once.

        Raises `DatabaseOutageError` and `TimeoutError`.
        """
        self._require()
        try:
            async with asyncio.timeout(limit_s) as timeout:
                self._deadlines.add(timeout)
                try:
                    yield
                finally:
                    self._deadlines.discard(timeout)
        except TimeoutError:
            self._require()
            raise

    def _require(self) -> None:
        if self._cause is not None:
            raise DatabaseOutageError(self._cause)

    async def _watch(self) -> None:
        while True:
            asking = asyncio.create_task(self._probe.ask(), name="asks Postgres")
            try:
                await self._wait_for(asking)
            finally:
                await cancel_and_wait(asking)
            await asyncio.sleep(EVERY_S)

    async def _wait_for(self, asking: asyncio.Task[None]) -> None:
        for _ in range(LOOKS):
            await asyncio.wait((asking,), timeout=LOOK_S)
            if asking.done():
                break
        else:
            self._note(TimeoutError(f"no answer for {LOOKS * LOOK_S:.1f} s"))
        try:
            await asking
        except DatabaseOutageError as error:
            self._note(error.cause)
        else:
            self._note(None)

    def _note(self, cause: BaseException | None) -> None:
        self._cause = cause
        if cause is not None:
            now_s = asyncio.get_running_loop().time()
            for timeout in self._deadlines:
                timeout.reschedule(now_s)
