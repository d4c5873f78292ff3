"""Admission: a run waits in a queue until a slot is free; the oldest starts first.

The queue is the event log itself. A start is stored only if no other run was started since the log was read, so
replicas of the planner never fill a slot twice. Every request and every end lets the next runs in, at least once each.
So does a planner as it starts and every minute: there may be more slots now, or requests that an older one could not
read.
"""

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from agent.loop.thread import RoleThreads
from chassis.bus import Bus
from chassis.disk_space import DiskSpace
from chassis.errors import FutureVersionError
from contracts.envelope import Event, during
from contracts.events.run import CancelRequested, EngineeringQueued, EngineeringRequested, EngineeringStarted

from planner.limits import cancel_run, request_of

ADMIT_EVERY_S = 60.0
"""Interval of looking for free slots, from the start of a planner on."""

RESUME_EVERY_S = 2.0
"""Interval of looking for space on a disk that was almost full."""

UNWATCHED = DiskSpace((), 0)

_log = logging.getLogger(__name__)


class Admission:
    """Lets runs start while slots are free."""

    def __init__(self, bus: Bus, slots: int, disk: DiskSpace = UNWATCHED) -> None:
        self._bus = bus
        self._slots = slots
        self._disk = disk
        self._is_held = False

    async def enqueue(self, request: EngineeringRequested) -> Sequence[Event]:
        """Let the run start, or show the user that it waits; end it if it was cancelled before it was requested."""
        cancellation = await self._bus.latest(CancelRequested, request.run_id)
        if cancellation is not None:
            return await cancel_run(cancellation, self._bus)
        await self.fill()
        waiting = (await self._bus.queue()).waiting
        if request.run_id not in waiting:
            return []
        ahead = waiting.index(request.run_id)
        return [EngineeringQueued(**during(request, "queued", "planner"), ahead=ahead, slots=self._slots)]

    async def fill(self) -> None:
        """Start the oldest runs until all slots are taken or no run waits; none while a disk is almost full."""
        while True:
            self._is_held = self._disk.problem() is not None
            if self._is_held:
                return
            queue = await self._bus.queue()
            request = await self._first(queue.waiting) if len(queue.started) < self._slots else None
            if request is None:
                return
            started = EngineeringStarted(
                **during(request, "started", "planner"), deadline_s=request.budget.deadline_s, slots=self._slots
            )
            await self._bus.start_run(started, queue)

    async def resume(self) -> None:
        """Start runs that were held back, if there is space again."""
        if self._is_held:
            await self.fill()

    async def _first(self, waiting: Sequence[UUID]) -> EngineeringRequested | None:
        """Return the oldest request that can be read; others end as dead letters, or wait for a newer planner."""
        for run_id in waiting:
            with suppress(FutureVersionError):
                request = await self._bus.latest(EngineeringRequested, run_id)
                if request is not None:
                    return request
        return None


async def begin_run(started: EngineeringStarted, threads: RoleThreads[Any], bus: Bus) -> Sequence[Event]:
    """Begin the run's work."""
    _log.info("run %s begins", started.run_id)
    return await threads.consume(await request_of(started, bus))


async def leave(end: Event, admission: Admission, threads: RoleThreads[Any]) -> Sequence[Event]:
    """Let the next run take the slot of one that has ended, and forget its thread."""
    _log.info("run %s has ended: %s", end.run_id, end.type)
    await admission.fill()
    return await threads.forget(end)


def deadline_of(started: EngineeringStarted) -> datetime:
    """Return the time at which the run must have ended; waiting for a slot does not count."""
    return started.occurred_at + timedelta(seconds=started.deadline_s)
