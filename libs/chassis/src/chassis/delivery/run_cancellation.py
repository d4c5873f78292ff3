"""The end of a run stops what is still at work for it."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from chassis.bus import ENDINGS
from chassis.cancellation import cancel_and_wait
from chassis.delivery.ended_runs import EndedRuns
from chassis.errors import HandlerCancelledError, RunEndedError
from chassis.stream.jetstream_bus import JetStreamBus
from chassis.stream.subjects import Address

ANNOUNCED_CHECK_PAUSES_S = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""An end is heard a moment before it is stored, and counts only then."""

CANCEL_AGAIN_S = 5.0
"""A cancellation can be swallowed, as by `asyncio.wait_for` of Python 3.11 when it meets an answer. It is repeated, but
late enough for a handler that is putting things away."""

_log = logging.getLogger(__name__)


@dataclass(eq=False)
class RunTask:
    """One piece of work for one run."""

    run_id: UUID
    task: asyncio.Task[None]
    is_stopped: bool = False


class RunCancellation:
    """Cancels work whose run has ended: told at once by a core message, and by a rare look in case that was lost."""

    def __init__(self, service: str, bus: JetStreamBus, look_every_s: float) -> None:
        self._service = service
        self._bus = bus
        self._look_every_s = look_every_s
        self._runs = EndedRuns(bus.ended, lambda: bus.client.stats["reconnects"], look_every_s)
        self._errands: dict[UUID, set[RunTask]] = {}
        self._subscriptions: list[Subscription] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Begin to listen for ends."""
        for ending in ENDINGS:
            self._subscriptions.append(await self._bus.client.subscribe(f"{ending.subject}.>", cb=self._hear))
        self._spawn(self._look_now_and_then(), "looks for ended runs")

    async def stop(self) -> None:
        """Listen no longer."""
        await cancel_and_wait(*self._tasks)
        for subscription in self._subscriptions:
            if not self._bus.client.is_closed:
                await subscription.unsubscribe()
        self._subscriptions.clear()

    async def has_ended(self, run_id: UUID) -> bool:
        """Tell whether a run has ended; see `chassis.delivery.ended_runs` for what is remembered."""
        return await self._runs.has_ended(run_id)

    async def until_end(self, run_id: UUID, work: Coroutine[Any, Any, None]) -> None:
        """Do `work` to its end, or raise `RunOverError` once it was cancelled because its run has ended."""
        errand = RunTask(run_id, asyncio.create_task(work))
        self._errands.setdefault(run_id, set()).add(errand)
        if self._runs.was_heard(run_id):
            self._spawn(self._look_soon(run_id), f"looks whether run {run_id} has ended")
        try:
            await asyncio.wait({errand.task})
        finally:
            errand.task.cancel()  # does nothing to what is done
            self._forget(errand)
        if errand.is_stopped:
            _say_how_it_went(errand)
            raise RunEndedError(f"run {run_id} has ended")
        if errand.task.cancelled():
            raise HandlerCancelledError("the handler was cancelled, though neither its run nor its app has ended")
        errand.task.result()

    def _forget(self, errand: RunTask) -> None:
        errands = self._errands[errand.run_id]
        errands.discard(errand)
        if not errands:
            del self._errands[errand.run_id]

    async def _hear(self, message: Msg) -> None:
        try:
            run_id = Address.of(message.subject).run_id
        except ValueError:
            return
        self._runs.hear(run_id)
        if run_id in self._errands:
            self._spawn(self._look_soon(run_id), f"looks whether run {run_id} has ended")

    async def _look_soon(self, run_id: UUID) -> None:
        for pause_s in ANNOUNCED_CHECK_PAUSES_S:
            await asyncio.sleep(pause_s)
            if await self._stop_if_over(run_id):
                return

    async def _look_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(self._look_every_s)
            for run_id in list(self._errands):
                try:
                    await self._stop_if_over(run_id)
                except Exception as error:  # noqa: BLE001 - looking goes on, whatever one look met
                    _log.warning("%s cannot see whether run %s has ended: %r", self._service, run_id, error)

    async def _stop_if_over(self, run_id: UUID) -> bool:
        if not await self._runs.look(run_id):
            return False
        for errand in self._errands.get(run_id, set()).copy():
            if not errand.is_stopped:
                errand.is_stopped = True
                self._spawn(_cancel(errand), f"cancels work for run {run_id}")
        return True

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=f"{self._service} {name}")
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("%s failed: %r", task.get_name(), error)


async def _cancel(errand: RunTask) -> None:
    """Cancel until it is over."""
    pause_s = CANCEL_AGAIN_S
    while not errand.task.done():
        errand.task.cancel()
        await asyncio.wait({errand.task}, timeout=pause_s)
        pause_s *= 2


def _say_how_it_went(errand: RunTask) -> None:
    if errand.task.cancelled():
        return
    if (error := errand.task.exception()) is not None:
        _log.warning("work for run %s, which has ended, failed while it was stopped", errand.run_id, exc_info=error)
