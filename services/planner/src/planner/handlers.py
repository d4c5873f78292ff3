"""A step of a run's lead, and its deadline."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from contracts.engineering import EngineeringRequested, RunFailed
from contracts.envelope import Event


class Threads(Protocol):
    """Planner's threads, one per run."""

    async def advance(self, event: Event) -> Sequence[Event]:
        """Move the run's thread by one event."""
        ...


async def lead(event: Event, threads: Threads) -> Sequence[Event]:
    """Return what planner decides on what it has heard."""
    return await threads.advance(event)


def due(request: EngineeringRequested) -> datetime:
    """Return when the run must be over."""
    return request.occurred_at + timedelta(seconds=request.budget.deadline_s)


async def miss_deadline(request: EngineeringRequested) -> Sequence[Event]:
    """End the run; if it has ended by now, that end was stored first and stands."""
    detail = f"no approved design within {request.budget.deadline_s:g} s; allow more time or an easier benchmark"
    return [RunFailed.answering(request, "planner", reason="deadline", detail=detail)]
