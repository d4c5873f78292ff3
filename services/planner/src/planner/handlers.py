"""The deadline of a run; all else planner does is a step of its thread."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from contracts.engineering import EngineeringRequested, RunFailed
from contracts.envelope import Event


def due(request: EngineeringRequested) -> datetime:
    """Return when the run must be over."""
    return request.occurred_at + timedelta(seconds=request.budget.deadline_s)


async def miss_deadline(request: EngineeringRequested) -> Sequence[Event]:
    """End the run; if it has ended by now, that end was stored first and stands."""
    detail = f"no approved design within {request.budget.deadline_s:g} s; allow more time or an easier benchmark"
    return [RunFailed.answering(request, "planner", reason="deadline", detail=detail)]
