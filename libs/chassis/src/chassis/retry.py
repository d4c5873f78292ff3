"""Retries: of calls until the server answers them, and of handlers until an outage is over."""

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

from nats import errors
from nats.js.errors import APIError, NoStreamResponseError, ServerError, ServiceUnavailableError

from chassis.errors import DrainingError, PartialOutageError, ResourceUnavailableError

T = TypeVar("T")

FIRST_PAUSE_S = 0.05
LAST_PAUSE_S = 2.0
LAST_OUTAGE_PAUSE_S = 5.0
"""The end of an outage is noticed within about this time."""
BEHIND_PAUSE_S = 30.0
"""Pause of a handler that waits behind another one for the same dependency, unless that one succeeds before."""
WOKEN_BY_SUCCESS = 2
"""How many of those behind it a handler wakes when its wait is over: more and more, but not all at once."""
LOG_OUTAGE_EVERY_S = 60.0

STREAM_NOT_FOUND = 10059
"""JetStream's error code. After a restart the stream may still be loading; if it was lost, it will be rebuilt."""

IN_PROCESS = frozenset({10158, 10164})
"""JetStream's error codes while a replicated stream is about to store another message under the same id. Whether it is
stored is not known yet: repeated, the call succeeds or is refused for good."""

CONSUMER_NOT_CREATED = 10012
"""JetStream reports it with a server's status, but the request is at fault, and repeating it changes nothing."""

_TRANSIENT = (
    errors.TimeoutError,
    errors.NoRespondersError,
    NoStreamResponseError,
    errors.OutboundBufferLimitError,
    errors.ConnectionReconnectingError,
    errors.StaleConnectionError,
    ServiceUnavailableError,
    ServerError,
)

_log = logging.getLogger(__name__)


def backoff_s(attempt: int, first_s: float, last_s: float) -> float:
    """Return the pause in seconds after the given attempt, counted from 1.

    It doubles up to `last_s` and varies by a quarter, so that many clients do not return at the same moment.
    """
    return min(first_s * 2.0 ** min(attempt - 1, 30), last_s) * random.uniform(0.75, 1.25)  # noqa: S311 - no secret


def is_transient(error: Exception) -> bool:
    """Return whether the same call to the server may succeed later."""
    code = error.err_code if isinstance(error, APIError) else None
    may_change = code == STREAM_NOT_FOUND or code in IN_PROCESS
    return code != CONSUMER_NOT_CREATED and (isinstance(error, _TRANSIENT) or may_change)


async def retry(call: Callable[[], Awaitable[T]], name: str) -> T:
    """Repeat `call`, which the log calls `name`, until it succeeds or raises an error that is not transient."""
    attempt = 0
    while True:
        attempt += 1
        try:
            return await call()
        except Exception as error:
            if not is_transient(error):
                raise
            _log.warning("%s: no answer from the server (%r), trying again", name, error)
        await asyncio.sleep(backoff_s(attempt, FIRST_PAUSE_S, LAST_PAUSE_S))


@dataclass(eq=False)
class _Wait:
    """One handler that waits for the end of an outage."""

    name: str
    error: Exception
    since: datetime = field(default_factory=lambda: datetime.now(UTC))
    logged_s: float = float("-inf")
    attempts: int = 0
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def waited_s(self) -> float:
        """Seconds since it began to wait."""
        return (datetime.now(UTC) - self.since).total_seconds()

    @property
    def key(self) -> str:
        """The dependency that only some handlers need; empty for one that all need."""
        return self.error.key if isinstance(self.error, PartialOutageError) else ""

    def __str__(self) -> str:
        return f"{type(self.error).__name__}: {str(self.error).strip()[:500]}"


Waiting = Callable[[Exception], AbstractAsyncContextManager[None]]
"""Entered for each pause of a handler; it may raise instead of waiting."""


@asynccontextmanager
async def _plainly(_: Exception) -> AsyncGenerator[None]:
    yield


def _ignore(_error: Exception, _waited_s: float) -> None:
    """Note nothing."""


class Outages:
    """Which exceptions mean that a dependency of the app is unavailable, and which handlers wait for one."""

    def __init__(self, first_pause_s: float, note_end: Callable[[Exception, float], None] = _ignore) -> None:
        """`note_end` is called when a handler has waited an outage out: with its error, and how many seconds."""
        self._first_pause_s = first_pause_s
        self._note_end = note_end
        self._errors: tuple[type[Exception], ...] = ()
        self._waits: list[_Wait] = []
        self._is_draining = False

    def add_errors(self, *errors: type[Exception]) -> None:
        """Take these exceptions, and their subclasses, for outages."""
        self._errors = (*self._errors, *errors)

    @contextmanager
    def fail_fast(self) -> Generator[None]:
        """Turn an outage inside the block into `ResourceUnavailableError` instead of waiting for its end."""
        try:
            yield
        except self._errors as error:
            raise ResourceUnavailableError(str(error).strip() or type(error).__name__) from error

    def drain(self) -> None:
        """End all waiting, from now on, by `DrainingError`."""
        self._is_draining = True
        for wait in self._waits:
            wait.woken.set()

    def problems(self) -> list[str]:
        """Return one line for each handler that waits: for what, and since when."""
        return [
            f"{wait.name} waits since {wait.since:%Y-%m-%d %H:%M:%S} UTC, because of {wait}" for wait in self._waits
        ]

    async def retry(self, name: str, work: Callable[[], Awaitable[T]], waiting: Waiting = _plainly) -> T:
        """Call `work` until it meets no outage, with growing pauses. `name` stands for it in the log and in `problems`.

        Of those that wait for one `PartialOutageError.key`, the first one tries often and wakes the others when it
        succeeds. Raises `DrainingError` when the app drains meanwhile, and whatever else `work` and `waiting` raise.
        """
        wait: _Wait | None = None
        try:
            while True:
                try:
                    result = await work()
                except self._errors as error:
                    if wait is None:
                        wait = _Wait(name, error)
                        self._waits.append(wait)
                    self._note(wait, error)
                    async with waiting(error):
                        await self._pause(wait)
                else:
                    if wait is not None:
                        _log.warning("%s: the outage is over after %d attempts", name, wait.attempts)
                        self._note_end(wait.error, wait.waited_s)
                        self._wake_behind(wait, WOKEN_BY_SUCCESS)
                    return result
        finally:
            if wait is not None:
                if self._is_first(wait):
                    self._wake_behind(wait, 1)
                self._waits.remove(wait)

    def _note(self, wait: _Wait, error: Exception) -> None:
        wait.error = error
        wait.attempts += 1
        if time.monotonic() - wait.logged_s >= LOG_OUTAGE_EVERY_S:
            wait.logged_s = time.monotonic()
            _log.warning("%s waits for the end of an outage: %s", wait.name, wait)

    async def _pause(self, wait: _Wait) -> None:
        longest_s = LAST_OUTAGE_PAUSE_S if self._is_first(wait) else BEHIND_PAUSE_S
        first_s = self._first_pause_s if self._is_first(wait) else BEHIND_PAUSE_S
        wait.woken.clear()
        if not self._is_draining:
            try:
                async with asyncio.timeout(backoff_s(wait.attempts, first_s, longest_s)):
                    await wait.woken.wait()
            except TimeoutError:
                return
        if self._is_draining:
            raise DrainingError(f"{wait.name} was stopped while it waited: {wait}") from wait.error

    def _is_first(self, wait: _Wait) -> bool:
        return not wait.key or next(each for each in self._waits if each.key == wait.key) is wait

    def _wake_behind(self, wait: _Wait, count: int) -> None:
        behind = [each for each in self._waits if wait.key and each.key == wait.key and each is not wait]
        for each in behind[:count]:
            each.woken.set()
