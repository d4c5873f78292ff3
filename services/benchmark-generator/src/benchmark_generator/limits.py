"""Limits that end the run of a benchmark from outside: time, the user, or a message that was given up."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from agent.run_limits import abandonment, caused_by
from chassis.bus import Bus
from contracts.envelope import Event, answering
from contracts.events.benchmark import BenchmarkRequested, GenerationFailed
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.run import CancelRequested

Limit = Literal["deadline", "cancelled", "abandoned"]


def deadline_of(request: BenchmarkRequested) -> datetime:
    """Return the time at which the run must have ended."""
    return request.occurred_at + timedelta(seconds=request.brief.deadline_s)


async def end_at_deadline(request: BenchmarkRequested, bus: Bus) -> Sequence[Event]:  # noqa: ARG001 - as limits are called
    """End the run; an earlier end was stored first and remains."""
    detail = f"no certified benchmark within {request.brief.deadline_s:,g} s; allow more time or fewer worlds"
    return [_failed(request, request, "deadline", detail)]


async def cancel_run(cancellation: CancelRequested, bus: Bus) -> Sequence[Event]:
    """End the run; do nothing if it is not that of a benchmark."""
    request = await bus.latest(BenchmarkRequested, cancellation.run_id)
    return [] if request is None else [_failed(request, cancellation, "cancelled", cancellation.reason)]


async def end_on_dead_letter(dead_letter: MessageAbandoned, bus: Bus) -> Sequence[Event]:
    """End the run, since an outcome will never come; dead letters of the recorder are about no outcome."""
    request = await bus.latest(BenchmarkRequested, dead_letter.run_id)
    if request is None or dead_letter.producer == "recorder":
        return []
    return [_failed(request, dead_letter, "abandoned", abandonment(dead_letter))]


def _failed(request: BenchmarkRequested, cause: Event, reason: Limit, detail: str) -> GenerationFailed:
    return caused_by(cause, GenerationFailed(**answering(request, "benchmark-generator"), reason=reason, detail=detail))
