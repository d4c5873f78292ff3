"""A step of a run's lead."""

from collections.abc import Sequence
from typing import Protocol

from agent.model.spend import Log
from contracts.envelope import Event
from contracts.events.run import CancelRequested, EngineeringRequested

from planner.limits import cancel


class Threads(Protocol):
    """Planner's threads, one per run."""

    async def advance(self, event: Event) -> Sequence[Event]:
        """Move the run's thread by one event."""
        ...


async def open_run(request: EngineeringRequested, threads: Threads, log: Log) -> Sequence[Event]:
    """Begin the run, unless it was cancelled before it was opened."""
    wish = await log.latest(CancelRequested, request.run_id)
    return await threads.advance(request) if wish is None else await cancel(wish, log)


async def lead(event: Event, threads: Threads) -> Sequence[Event]:
    """Return what planner decides on what it has heard."""
    return await threads.advance(event)
