"""Work that needs what is away begins again, in the same place, until it is back: an outage is nobody's fault."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from chassis.errors import DrainingError, ResourceUnavailableError
from chassis.recovery.backoff import backoff_s

T = TypeVar("T")

LAST_PAUSE_S = 5.0
"""What is back is noticed within about this time."""
TELL_EVERY_S = 60.0

_log = logging.getLogger(__name__)


@dataclass
class Wait:
    """One piece of work that is waiting."""

    what: str
    error: Exception
    since: datetime
    told_s: float = float("-inf")
    tries: int = 0


class Outages:
    """Knows which exceptions mean that something is away, and what waits for it to come back."""

    def __init__(self, first_pause_s: float) -> None:
        self._first_pause_s = first_pause_s
        self._errors: tuple[type[Exception], ...] = ()
        self._waiting: dict[int, Wait] = {}
        self._draining = asyncio.Event()

    def add_errors(self, *errors: type[Exception]) -> None:
        """Take these exceptions, and what inherits from them, for an outage."""
        self._errors = (*self._errors, *errors)

    @contextmanager
    def fail_fast(self) -> Generator[None]:
        """Turn an outage within the block into `ResourceAwayError`: nothing can begin that is to wait for its end."""
        try:
            yield
        except self._errors as error:
            raise ResourceUnavailableError(str(error).strip() or type(error).__name__) from error

    def drain(self) -> None:
        """Wait no longer: who waits now is told so by `StillAwayError`."""
        self._draining.set()

    def problems(self) -> list[str]:
        """Return in words what is waited for, and since when."""
        return [
            f"{wait.what} waits since {wait.since:%Y-%m-%d %H:%M:%S} UTC for what is away: {_words(wait.error)}"
            for wait in self._waiting.values()
        ]

    async def retry(self, what: str, work: Callable[[], Awaitable[T]]) -> T:
        """Call `work` until it meets no outage, with growing pauses. The log and `told` call it `what`.

        Raises `StillAwayError` when the app drains meanwhile, and whatever else `work` raises.
        """
        wait: Wait | None = None
        try:
            while True:
                try:
                    done = await work()
                except self._errors as error:
                    wait = self._noted(wait, what, error)
                    await self._pause(wait)
                else:
                    if wait is not None:
                        _log.warning("%s: back after %d tries", what, wait.tries)
                    return done
        finally:
            self._waiting.pop(id(wait), None)

    def _noted(self, wait: Wait | None, what: str, error: Exception) -> Wait:
        wait = wait or Wait(what, error, datetime.now(UTC))
        self._waiting[id(wait)] = wait
        wait.error = error
        wait.tries += 1
        if time.monotonic() - wait.told_s >= TELL_EVERY_S:
            wait.told_s = time.monotonic()
            _log.warning("%s waits until this is over: %s", what, _words(error))
        return wait

    async def _pause(self, wait: Wait) -> None:
        try:
            async with asyncio.timeout(backoff_s(wait.tries, self._first_pause_s, LAST_PAUSE_S)):
                await self._draining.wait()
        except TimeoutError:
            return
        raise DrainingError(f"{wait.what} was stopped while it waited: {_words(wait.error)}") from wait.error


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip()[:500]}"
