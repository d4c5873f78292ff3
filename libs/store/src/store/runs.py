"""Runs as the read model lists them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from contracts.envelope import Event
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.model import Model
from contracts.models.artifact import Sha256
from contracts.models.benchmark import Executor
from contracts.registry import parse
from pydantic import NonNegativeFloat, NonNegativeInt
from sqlalchemy import ColumnElement, and_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from store.outages import open_connection
from store.read_models.projections.runs import RUNS
from store.read_models.registry import rows_of
from store.read_models.writer import merge
from store.tables import EventRow

RunKind = Literal["engineering", "benchmark"]
RunOutcome = Literal["waiting", "running", "succeeded", "not_proven", "failed"]


class RunSummary(Model):
    """One run in a list of runs."""

    run_id: UUID
    kind: RunKind = "engineering"
    """`benchmark`: it generates one."""
    benchmark: str
    """Of a generated one, empty until it is published."""
    title: str = ""
    """Of the benchmark."""
    task: str = ""
    """What a user ordered of the benchmark-generator."""
    seed: int
    level: int
    quantity: int
    """0 for a run that generates a benchmark."""
    model: str
    started_at: datetime
    """Time of the request."""
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
    verdict: str | None = None
    """Of the delivered design."""
    success_rate: float | None = None
    model_calls: NonNegativeInt = 0
    input_tokens: NonNegativeInt = 0
    output_tokens: NonNegativeInt = 0
    """Of all model calls, lost replies included."""
    cost_usd: NonNegativeFloat = 0.0
    """Of the calls at known prices."""
    unpriced_calls: NonNegativeInt = 0
    """Calls at unknown prices."""
    cells: NonNegativeInt = 0
    simulations: NonNegativeInt = 0
    """Previews."""
    submissions: NonNegativeInt = 0
    rejections: NonNegativeInt = 0
    """Plans and designs that the critic rejected."""
    picture: Sha256 | None = None
    """Digest of a picture of the delivered design, a PNG."""


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
    kind: RunKind | None = None

    def conditions(self) -> Iterable[ColumnElement[bool]]:
        """Yield the conditions on `RUNS`."""
        for column, wanted in ((RUNS.c.benchmark, self.benchmark), (RUNS.c.model, self.model), (_KIND, self.kind)):
            if wanted is not None:
                yield column == wanted
        match self.outcome:
            case None:
                return
            case "waiting":
                yield _WAITING
            case "running":
                yield and_(_OPEN, ~_WAITING)
            case _:
                yield RUNS.c.outcome == self.outcome


class RunPage(NamedTuple):
    """Some runs, newest first."""

    runs: Sequence[RunSummary]
    rest: RunPosition | None
    """The page after this one begins below it; None: this is the last page."""


class RunRecord(NamedTuple):
    """What is recorded of one run of engineering."""

    request: EngineeringRequested
    end: RunSucceeded | RunFailed | None
    summary: RunSummary


_KIND = RUNS.c.kind
_KEY = tuple_(RUNS.c.sequence, RUNS.c.run_id)
_OPEN = RUNS.c.ended_at.is_(None)
_WAITING = and_(_OPEN, RUNS.c.queued_at.is_not(None), RUNS.c.begun_at.is_(None))
_REQUESTED = RUNS.c.sequence.is_not(None)


class RunSummaries:
    """Reads the read model of runs."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def newest(self, limit: int = 50, kind: RunKind | None = "engineering") -> list[RunSummary]:
        """Return summaries of the newest runs of a kind or, without one, of all; newest first."""
        return list((await self.page(RunFilter(kind=kind), None, limit)).runs)

    async def page(self, wanted: RunFilter, below: RunPosition | None, limit: int) -> RunPage:
        """Return runs that pass a filter, requested before the run at `below`, newest first."""
        query = select(RUNS).where(_REQUESTED, *wanted.conditions())
        if below is not None:
            query = query.where(tuple_(below.sequence, below.run_id) > _KEY)
        query = query.order_by(RUNS.c.sequence.desc(), RUNS.c.run_id.desc()).limit(limit + 1)
        async with open_connection(self._engine) as connection:
            ahead = await _places(connection)
            found = (await connection.execute(query)).mappings().all()
        page = found[:limit]
        last = RunPosition(page[-1]["sequence"], page[-1]["run_id"]) if len(found) > limit else None
        return RunPage([_summary(row, ahead.get(row["run_id"])) for row in page], last)

    async def one(self, run_id: UUID) -> RunRecord | None:
        """Return what is recorded of a run of engineering; None without its request."""
        types = [EngineeringRequested.__name__, RunSucceeded.__name__, RunFailed.__name__]
        query = select(EventRow.subject, EventRow.body).where(EventRow.run_id == run_id, EventRow.type.in_(types))
        async with open_connection(self._engine) as connection:
            rows = await connection.execute(query.order_by(EventRow.stream_sequence))
            events = [parse(subject, body) for subject, body in rows]
            request = next((each for each in events if isinstance(each, EngineeringRequested)), None)
            if request is None:
                return None
            row = (await connection.execute(select(RUNS).where(RUNS.c.run_id == run_id))).mappings().one()
            ahead = await _places(connection)
        end = next((each for each in events if isinstance(each, RunSucceeded | RunFailed)), None)
        return RunRecord(request, end, _summary(row, ahead.get(run_id)))


def summarize(request: EngineeringRequested, end: Event | None, events: int) -> RunSummary:
    """Return the summary of the run that `request` opened and `end`, if any, ended, with its number of events.

    It is made as the read model is, for runs that are not recorded yet.
    """
    found = [request] if end is None else [request, end]
    rows = [row.values for event in found for row in rows_of(event, 0) if row.table is RUNS]
    (merged,) = merge(RUNS, rows)
    return _summary({**dict.fromkeys(column.name for column in RUNS.columns), **merged, "events": events}, None)


async def _places(connection: AsyncConnection) -> Mapping[UUID, int]:
    """Return the runs that wait for a slot with the number of those before each, the oldest first."""
    query = select(RUNS.c.run_id).where(_REQUESTED, _WAITING).order_by(RUNS.c.sequence)
    return {run_id: place for place, run_id in enumerate(await connection.scalars(query))}


def _summary(row: Mapping[Any, Any], ahead: int | None) -> RunSummary:
    """Return the summary of a row of `RUNS`; `ahead` as in `RunSummary`."""
    is_open = row["ended_at"] is None
    waits = is_open and row["queued_at"] is not None and row["begun_at"] is None
    values: dict[str, object] = {name: row[name] for name in _COPIED}
    values |= {name: row[name] or empty for name, empty in _EMPTY.items()}
    values |= {
        "started_at": row["requested_at"],
        "outcome": row["outcome"] or ("waiting" if waits else "running"),
        "ahead": ahead if waits else None,
        "reason": ": ".join(filter(None, (row["reason"], row["detail"]))),
    }
    return RunSummary.model_validate(values)


_EMPTY = {
    **dict.fromkeys(("benchmark", "title", "task"), ""),
    **dict.fromkeys(("seed", "level", "quantity", "cost_usd"), 0),
    "executor": "code",
}
"""What a run without these columns has."""
_COPIED = tuple(
    name
    for name in RunSummary.model_fields
    if name in RUNS.c and name not in _EMPTY and name not in {"outcome", "reason"}
)
