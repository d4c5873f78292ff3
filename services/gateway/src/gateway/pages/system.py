"""The system: problems, the queue of runs, services, kernels and models, as far as the log and the stream show them."""

from collections.abc import Sequence
from datetime import datetime
from statistics import median
from typing import NamedTuple
from uuid import UUID

from contracts.envelope import Event
from contracts.events.conversation import ModelCalled, ReplyLost
from contracts.events.session import SessionClosed, SessionOpened
from fastapi import APIRouter, Request, Response
from store.runs import RunSummary

from gateway.context import Context, Using
from gateway.http.page_paths import PAGES
from gateway.pages.page_templates import page, tagged_fragment

router = APIRouter(include_in_schema=False)

NEWEST = 500
"""Events from which services and models are read."""
MOST_RUNS = 100
"""Of the queue, that are shown."""


class SeenService(NamedTuple):
    """A service, by the events that it published."""

    name: str
    last_at: datetime


class UsedModel(NamedTuple):
    """A model, by its newest calls."""

    name: str
    calls: int
    lost: int
    median_s: float
    last_at: datetime


class OpenKernel(NamedTuple):
    """A session that was opened and not closed."""

    run_id: UUID
    role: str
    opened_at: datetime


@router.get(f"{PAGES}/system")
async def show_system(context: Using, request: Request) -> Response:
    """Show the system."""
    return page(request, "system/page.html", **await _values(context))


@router.get(f"{PAGES}/system/state")
async def show_state(context: Using, request: Request) -> Response:
    """Show its state alone: the page asks for it every few seconds."""
    return tagged_fragment(request, "system/state.html", **await _values(context))


async def _values(context: Context) -> dict[str, object]:
    async with context.deadline():
        problems = await context.health()
        queue = await context.bus.queue()
        calls = await context.log.newest((ModelCalled.__name__, ReplyLost.__name__), NEWEST)
        newest = await context.log.newest((), NEWEST)
        working = await _summaries(context, sorted(queue.started, key=str)[:MOST_RUNS])
        waiting = await _summaries(context, queue.waiting[:MOST_RUNS])
        kernels = [each for run in working for each in await _kernels(context, run.run_id)]
    return {
        "problems": problems,
        "working": working,
        "waiting": waiting,
        "waiting_count": len(queue.waiting),
        "kernels": kernels,
        "services": _services(newest),
        "models": _models(calls),
        "streams": context.streams.open_count,
    }


async def _summaries(context: Context, run_ids: Sequence[UUID]) -> list[RunSummary]:
    records = [await context.runs.one(run_id) for run_id in run_ids]
    return [record.summary for record in records if record is not None]


async def _kernels(context: Context, run_id: UUID) -> list[OpenKernel]:
    types = (SessionOpened.__name__, SessionClosed.__name__)
    found: dict[str, OpenKernel] = {}
    for _, event in await context.log.page_of(run_id, None, NEWEST, types):
        if isinstance(event, SessionOpened):
            found[event.role] = OpenKernel(run_id, event.role, event.occurred_at)
        else:
            found.pop(event.role, None)
    return list(found.values())


def _services(events: Sequence[Event]) -> list[SeenService]:
    last: dict[str, datetime] = {}
    for event in events:
        last[event.producer] = max(event.occurred_at, last.get(event.producer, event.occurred_at))
    return [SeenService(name, last[name]) for name in sorted(last)]


def _models(events: Sequence[Event]) -> list[UsedModel]:
    used: dict[str, list[ModelCalled | ReplyLost]] = {}
    for event in events:
        if isinstance(event, ModelCalled | ReplyLost):
            used.setdefault(event.model, []).append(event)
    return [
        UsedModel(
            name,
            len(calls),
            sum(isinstance(call, ReplyLost) for call in calls),
            median(call.usage.duration_s for call in calls),
            max(call.occurred_at for call in calls),
        )
        for name, calls in sorted(used.items())
    ]
