"""Summaries of runs, made from the event log alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

from contracts.envelope import Event
from contracts.events.run import (
    EngineeringQueued,
    EngineeringRequested,
    EngineeringStarted,
    RunFailed,
    RunSucceeded,
)
from contracts.model import Model
from contracts.models.benchmark import Executor
from contracts.registry import parse
from pydantic import NonNegativeInt
from sqlalchemy import exists, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.orm import aliased

from store.outages import open_connection
from store.tables import EventRow

RunOutcome = Literal["waiting", "running", "succeeded", "not_proven", "failed"]
SCANNED = 1000
"""How many runs one page looks at to find those that pass a filter."""
BATCH = 200


class RunSummary(Model):
    """One run in a list of runs."""

    run_id: UUID
    benchmark: str
    seed: int
    level: int
    quantity: int
    model: str
    started_at: datetime
    ended_at: datetime | None = None
    outcome: RunOutcome = "running"
    """`waiting`: for a slot. `not_proven`: the run ended as a success, as in an old log, with a design that the
    simulation has not proven."""
    ahead: NonNegativeInt | None = None
    """How many runs wait before it; None if it does not wait."""
    reason: str = ""
    """Why the run failed, or what its design lacks."""
    unit_price_usd: float | None = None
    mass_kg: float | None = None
    parts: int | None = None
    events: int
    """Number of recorded events."""
    executor: Executor = "code"
    continues: UUID | None = None
    """The earlier run that it continues."""


class RunPosition(NamedTuple):
    """Where a run's request is in the log."""

    sequence: int
    """In the stream."""
    run_id: UUID


@dataclass(frozen=True)
class RunFilter:
    """Which runs to list; None: all."""

    benchmark: str | None = None
    outcome: RunOutcome | None = None
    model: str | None = None

    def admits(self, request: EngineeringRequested) -> bool:
        """Return whether the run passes, as far as its request shows."""
        of_benchmark = self.benchmark in {None, request.assignment.variant.benchmark}
        return of_benchmark and self.model in {None, request.model}


class RunPage(NamedTuple):
    """Some runs, newest first."""

    runs: Sequence[RunSummary]
    rest: RunPosition | None
    """The page after this one begins below it; None: this is the last page. With a filter, a page may have fewer runs
    than its limit, or none, although more follow."""


class RunRecord(NamedTuple):
    """What the log has of one run."""

    request: EngineeringRequested
    end: RunSucceeded | RunFailed | None
    summary: RunSummary


class RunSummaries:
    """Reads summaries from the event log."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def newest(self, limit: int = 50) -> list[RunSummary]:
        """Return summaries of the newest runs, newest first."""
        async with open_connection(self._engine) as connection:
            requests = await _newest_requests(connection, limit)
            ahead = {run_id: place for place, run_id in enumerate(await _waiting(connection))}
            return await _summaries(connection, requests, ahead)

    async def page(self, wanted: RunFilter, below: RunPosition | None, limit: int) -> RunPage:
        """Return runs that pass a filter, requested before the run at `below`, newest first."""
        found: list[RunSummary] = []
        async with open_connection(self._engine) as connection:
            ahead = {run_id: place for place, run_id in enumerate(await _waiting(connection))}
            for _ in range(SCANNED // BATCH):
                batch = await _requests_below(connection, below, BATCH)
                admitted = [(position, request) for position, request in batch if wanted.admits(request)]
                for first in range(0, len(admitted), limit):
                    part = admitted[first : first + limit]
                    summaries = await _summaries(connection, [request for _, request in part], ahead)
                    for (position, _), summary in zip(part, summaries, strict=True):
                        if wanted.outcome in {None, summary.outcome}:
                            found.append(summary)
                        if len(found) == limit:
                            return RunPage(found, position)
                if len(batch) < BATCH:
                    return RunPage(found, None)
                below = batch[-1][0]
        return RunPage(found, below)

    async def one(self, run_id: UUID) -> RunRecord | None:
        """Return what is recorded of a run; None without its request."""
        query = select(EventRow.body).where(EventRow.run_id == run_id, EventRow.type == EngineeringRequested.__name__)
        async with open_connection(self._engine) as connection:
            body = await connection.scalar(query.order_by(EventRow.stream_sequence).limit(1))
            if body is None:
                return None
            request = EngineeringRequested.model_validate_json(body)
            ahead = {run_id: place for place, run_id in enumerate(await _waiting(connection))}
            end = (await _ends(connection, [run_id])).get(run_id)
            count = (await _counts(connection, [run_id]))[run_id]
        assert end is None or isinstance(end, RunSucceeded | RunFailed)
        return RunRecord(request, end, summarize(request, end, count, ahead.get(run_id)))


async def _requests_below(
    connection: AsyncConnection, below: RunPosition | None, limit: int
) -> list[tuple[RunPosition, EngineeringRequested]]:
    key = tuple_(EventRow.stream_sequence, EventRow.run_id)
    query = select(EventRow.stream_sequence, EventRow.run_id, EventRow.body)
    query = query.where(EventRow.type == EngineeringRequested.__name__)
    if below is not None:
        query = query.where(key < tuple_(below.sequence, below.run_id))
    query = query.order_by(EventRow.stream_sequence.desc(), EventRow.run_id.desc()).limit(limit)
    return [
        (RunPosition(sequence, run_id), EngineeringRequested.model_validate_json(body))
        for sequence, run_id, body in await connection.execute(query)
    ]


async def _summaries(
    connection: AsyncConnection, requests: Sequence[EngineeringRequested], ahead: Mapping[UUID, int]
) -> list[RunSummary]:
    run_ids = [request.run_id for request in requests]
    ends = await _ends(connection, run_ids)
    counts = await _counts(connection, run_ids)
    return [
        summarize(request, ends.get(request.run_id), counts[request.run_id], ahead.get(request.run_id))
        for request in requests
    ]


def summarize(request: EngineeringRequested, end: Event | None, events: int, ahead: int | None = None) -> RunSummary:
    """Return the summary of the run that `request` opened and `end`, if any, ended; `ahead` as in `RunSummary`."""
    opened = RunSummary(
        run_id=request.run_id,
        benchmark=request.assignment.variant.benchmark,
        seed=request.assignment.variant.seed,
        level=request.assignment.variant.level,
        quantity=request.assignment.quantity,
        model=request.model,
        started_at=request.occurred_at,
        outcome="running" if ahead is None else "waiting",
        ahead=ahead,
        events=events,
        executor=request.executor,
        continues=None if request.continues is None else request.continues.attempts[-1],
    )
    return opened if end is None else opened.model_copy(update=_ending(end))


def _ending(end: Event) -> dict[str, object]:
    match end:
        case RunSucceeded(bill=bill, result=result):
            return {
                "outcome": "succeeded" if result.is_proven else "not_proven",
                "reason": "" if result.is_proven else f"physics found it {result.verdict} and {result.stability}",
                "ended_at": end.occurred_at,
                "unit_price_usd": bill.unit_price_usd,
                "mass_kg": bill.mass_kg,
                "parts": bill.part_count,
            }
        case RunFailed():
            return {"outcome": "failed", "ended_at": end.occurred_at, "reason": f"{end.reason}: {end.detail}"}
        case _:
            raise ValueError(f"{end.type} does not end a run")


async def _newest_requests(connection: AsyncConnection, limit: int) -> list[EngineeringRequested]:
    query = (
        select(EventRow.body)
        .where(EventRow.type == EngineeringRequested.__name__)
        .order_by(EventRow.stream_sequence.desc())
        .limit(limit)
    )
    return [EngineeringRequested.model_validate_json(body) for body in await connection.scalars(query)]


async def _waiting(connection: AsyncConnection) -> Sequence[UUID]:
    """Return the runs that wait for a slot, the oldest first; runs older than the queue have no `EngineeringQueued`."""
    queued, later = aliased(EventRow), aliased(EventRow)
    begun = (EngineeringStarted.__name__, RunSucceeded.__name__, RunFailed.__name__)
    query = (
        select(EventRow.run_id)
        .where(
            EventRow.type == EngineeringRequested.__name__,
            EventRow.run_id.in_(select(queued.run_id).where(queued.type == EngineeringQueued.__name__)),
            ~exists().where(later.run_id == EventRow.run_id, later.type.in_(begun)),
        )
        .order_by(EventRow.stream_sequence)
    )
    return (await connection.scalars(query)).all()


async def _ends(connection: AsyncConnection, run_ids: Sequence[UUID]) -> dict[UUID, Event]:
    query = select(EventRow.subject, EventRow.body).where(
        EventRow.run_id.in_(run_ids), EventRow.type.in_([RunSucceeded.__name__, RunFailed.__name__])
    )
    rows = await connection.execute(query)
    ends = [parse(subject, body) for subject, body in rows]
    return {end.run_id: end for end in ends}


async def _counts(connection: AsyncConnection, run_ids: Sequence[UUID]) -> dict[UUID, int]:
    query = select(EventRow.run_id, func.count()).where(EventRow.run_id.in_(run_ids)).group_by(EventRow.run_id)
    rows = await connection.execute(query)
    return {run_id: count for run_id, count in rows}  # noqa: C416 - `dict(rows)` is untyped
