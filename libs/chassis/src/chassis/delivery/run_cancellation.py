"""Cancellation of handlers whose run has ended, and a cache of which runs have."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from contracts.registry import ENDINGS
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from chassis.background_tasks import SupervisedTask, cancel_and_wait
from chassis.errors import HandlerCancelledError, RunEndedError
from chassis.stream.jetstream_bus import JetStreamBus
from chassis.subjects import Address

V = TypeVar("V")

CHECK_PAUSES_S = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Pauses before the checks after a published end, which counts only once it is stored, a moment later."""

STORED_WITHIN_S = 2.0
"""Until this time has passed after a published end, a check that finds no end proves nothing."""

REPEAT_CANCEL_S = 5.0
"""A cancellation can be swallowed and is repeated, but not before a handler had time to clean up."""

MAX_CACHED_RUNS = 10_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Check:
    """A check of the log that found no end of the run."""

    at_s: float
    """When it began, on the monotonic clock."""
    reconnects: int
    """How often the client had reconnected by then."""


class EndedRuns:
    """Which runs have ended, cached so that not every message costs a check of the log.

    A run that had not ended is believed to go on while three things hold: the check is recent, the connection has not
    been lost since, and no end of the run was published since. Every connected client receives a published end before
    the messages that are stored after it, so a message that follows the end causes a check, as without the cache.
    """

    def __init__(
        self, look_up: Callable[[UUID], Awaitable[bool]], reconnects: Callable[[], int], max_age_s: float
    ) -> None:
        """`look_up` asks the log; `reconnects` counts them; a run that goes on is checked again after `max_age_s`."""
        self._look_up = look_up
        self._reconnects = reconnects
        self._max_age_s = max_age_s
        self._ended: dict[UUID, None] = {}
        self._running: dict[UUID, _Check] = {}
        self._end_published_s: dict[UUID, float] = {}

    def note_published_end(self, run_id: UUID) -> None:
        """Distrust the cache: an end was published and may be stored at any moment."""
        self._running.pop(run_id, None)
        _cache(self._end_published_s, run_id, time.monotonic())

    def may_end_now(self, run_id: UUID) -> bool:
        """Return whether an end was published so recently that it may still be stored."""
        return time.monotonic() - self._end_published_s.get(run_id, float("-inf")) < STORED_WITHIN_S

    async def has_ended(self, run_id: UUID) -> bool:
        """Return whether a run has ended, from the cache if it is certain."""
        return run_id in self._ended or (not self._is_running(run_id) and await self.check(run_id))

    async def check(self, run_id: UUID) -> bool:
        """Ask the log, whatever the cache contains."""
        began = _Check(time.monotonic(), self._reconnects())
        if await self._look_up(run_id):
            _cache(self._ended, run_id, None)
            return True
        if not self.may_end_now(run_id):
            _cache(self._running, run_id, began)
        return False

    def _is_running(self, run_id: UUID) -> bool:
        check = self._running.get(run_id)
        return (
            check is not None
            and check.reconnects == self._reconnects()
            and time.monotonic() - check.at_s < self._max_age_s
        )


def _cache(cache: dict[UUID, V], run_id: UUID, value: V) -> None:
    """Add the newest entry and drop the oldest if there are too many."""
    cache.pop(run_id, None)
    cache[run_id] = value
    if len(cache) > MAX_CACHED_RUNS:
        del cache[next(iter(cache))]


@dataclass(eq=False)
class _RunTask:
    """A handler at work for one run."""

    run_id: UUID
    task: asyncio.Task[None]
    is_cancelled: bool = False


class RunCancellation:
    """Cancels handlers whose run has ended: at once by a core NATS message, or by a periodic check if it was lost."""

    def __init__(self, service: str, bus: JetStreamBus, check_every_s: float) -> None:
        self._service = service
        self._bus = bus
        self._check_every_s = check_every_s
        self._runs = EndedRuns(bus.has_ended, lambda: bus.client.stats["reconnects"], check_every_s)
        self._run_tasks: dict[UUID, list[_RunTask]] = {}
        self._subscriptions: list[Subscription] = []
        self._background: list[asyncio.Task[None]] = []
        self._checking = SupervisedTask(f"{service} checks for ended runs", self._check_periodically)

    async def start(self) -> None:
        """Subscribe to published ends."""
        for ending in ENDINGS:
            self._subscriptions.append(await self._bus.client.subscribe(f"{ending.subject}.>", cb=self._on_published))
        self._checking.start()

    async def stop(self) -> None:
        """Unsubscribe."""
        await self._checking.stop()
        await cancel_and_wait(*self._background)
        for subscription in self._subscriptions:
            if not self._bus.client.is_closed:
                await subscription.unsubscribe()
        self._subscriptions.clear()

    def problem(self) -> str | None:
        """Return why ends that were missed are not found, if so."""
        return self._checking.problem()

    async def has_ended(self, run_id: UUID) -> bool:
        """Return whether a run has ended; see `EndedRuns`."""
        return await self._runs.has_ended(run_id)

    async def until_end(self, run_id: UUID, work: Coroutine[Any, Any, None]) -> None:
        """Run `work`; raise `RunEndedError` once it was cancelled because its run has ended."""
        run_task = _RunTask(run_id, asyncio.create_task(work))
        self._run_tasks.setdefault(run_id, []).append(run_task)
        if self._runs.may_end_now(run_id):
            self._spawn(self._check_soon(run_id), f"checks whether run {run_id} has ended")
        try:
            await asyncio.wait({run_task.task})
        finally:
            run_task.task.cancel()  # for a cancellation from outside; without effect on a finished task
            self._forget(run_task)
        if run_task.is_cancelled:
            _log_failure(run_task)
            raise RunEndedError(f"run {run_id} has ended")
        if run_task.task.cancelled():
            raise HandlerCancelledError("the handler was cancelled, though neither its run nor its app has ended")
        run_task.task.result()

    def _forget(self, run_task: _RunTask) -> None:
        run_tasks = self._run_tasks[run_task.run_id]
        run_tasks.remove(run_task)
        if not run_tasks:
            del self._run_tasks[run_task.run_id]

    async def _on_published(self, message: Msg) -> None:
        try:
            run_id = Address.of(message.subject).run_id
        except ValueError:
            return
        self._runs.note_published_end(run_id)
        if run_id in self._run_tasks:
            self._spawn(self._check_soon(run_id), f"checks whether run {run_id} has ended")

    async def _check_soon(self, run_id: UUID) -> None:
        for pause_s in CHECK_PAUSES_S:
            await asyncio.sleep(pause_s)
            if await self._cancel_if_ended(run_id):
                return

    async def _check_periodically(self) -> None:
        while True:
            await asyncio.sleep(self._check_every_s)
            for run_id in list(self._run_tasks):
                try:
                    await self._cancel_if_ended(run_id)
                except Exception as error:  # noqa: BLE001 - one failed check must not end the task
                    _log.warning("%s cannot check whether run %s has ended: %r", self._service, run_id, error)

    async def _cancel_if_ended(self, run_id: UUID) -> bool:
        if not await self._runs.check(run_id):
            return False
        for run_task in self._run_tasks.get(run_id, []).copy():
            if not run_task.is_cancelled:
                run_task.is_cancelled = True
                cancelling = cancel_and_wait(run_task.task, repeat_s=REPEAT_CANCEL_S, growth=2.0)
                self._spawn(cancelling, f"cancels work for run {run_id}")
        return True

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=f"{self._service} {name}")
        self._background.append(task)
        task.add_done_callback(self._on_done)

    def _on_done(self, task: asyncio.Task[None]) -> None:
        self._background.remove(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("%s failed: %r", task.get_name(), error)


def _log_failure(run_task: _RunTask) -> None:
    if run_task.task.cancelled():
        return
    if (error := run_task.task.exception()) is not None:
        _log.warning("work for run %s, which has ended, failed when it was cancelled", run_task.run_id, exc_info=error)
