"""Retention: which part of the event log the stream holds.

The stream holds all events of runs that are open or ended recently. Of older runs it holds only the end and its
outcome, for much longer, because services ask the stream whether a run has ended and whether a skill was learned from
it.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from contracts.envelope import Event, outcome_id
from contracts.events.benchmark import BenchmarkSessionRequested
from contracts.events.question import QuestionSessionRequested
from contracts.events.run import RunSucceeded
from contracts.events.session import SessionClosed, SessionFailed, SessionRequested
from contracts.registry import ENDINGS, OPENINGS
from sqlalchemy import ARRAY, ColumnElement, Row, Select, Uuid, any_, func, literal, or_, select, text
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.orm import InstrumentedAttribute

from store.errors import StoreError
from store.log import EventLog
from store.outages import open_connection
from store.settings import RetentionSettings
from store.tables import EventRow

PAGE = 100
"""Messages read at once; one message may be almost a megabyte."""
_SESSIONS: tuple[type[Event], ...] = (SessionRequested, QuestionSessionRequested, BenchmarkSessionRequested)
"""Requests for a session."""
LOCK = 0x6D776273
"""Key of the advisory lock ("mwbs"); arbitrary, but different from the other keys."""


class RebuildInProgressError(StoreError):
    """Another process is rebuilding the stream."""

    def __init__(self) -> None:
        super().__init__("another process is rebuilding the stream from this database: wait until it has finished")


@dataclass(frozen=True)
class RecordedMessage:
    """A message as recorded in the event log."""

    subject: str
    body: bytes
    traceparent: str | None


@dataclass(frozen=True)
class StreamSlice:
    """The part of the event log that the stream holds."""

    runs: frozenset[UUID]
    """Runs of which it holds all events."""
    single: frozenset[UUID]
    """Ids of events of other runs."""


async def unfinished_runs(engine: AsyncEngine) -> set[UUID]:
    """Return the runs that have not ended."""
    opened = select(EventRow.run_id).where(EventRow.type.in_([opening.__name__ for opening in OPENINGS]))
    async with open_connection(engine) as connection:
        all_runs = set(await connection.scalars(opened))
        return all_runs - set(await connection.scalars(_ends(EventRow.run_id)))


class RetentionPolicy:
    """Decides which events the stream holds."""

    def __init__(self, engine: AsyncEngine, settings: RetentionSettings) -> None:
        self._engine = engine
        self._grace = timedelta(seconds=settings.recorder_grace_s)
        self._ends_kept = timedelta(seconds=settings.recorder_ends_kept_s)

    async def unfinished_runs(self) -> set[UUID]:
        """Return the runs that have not ended."""
        return await unfinished_runs(self._engine)

    async def current_slice(self) -> StreamSlice:
        """Return the part of the event log that the stream must hold now."""
        unfinished = await self.unfinished_runs()
        recent = _ends(EventRow.run_id).where(EventRow.recorded_at > func.now() - self._grace)
        kept = _ends(EventRow.id).where(EventRow.recorded_at > func.now() - self._ends_kept)
        async with open_connection(self._engine) as connection:
            whole = unfinished | set(await connection.scalars(recent))
            ends = set(await connection.scalars(kept))
        return StreamSlice(frozenset(whole), frozenset(ends | {outcome_id(end) for end in ends}))

    async def count(self, part: StreamSlice) -> int:
        """Return the number of messages in a slice."""
        async with open_connection(self._engine) as connection:
            return await connection.scalar(select(func.count()).select_from(EventRow).where(_is_in(part))) or 0

    async def messages(self, part: StreamSlice) -> AsyncIterator[RecordedMessage]:
        """Yield the messages of a slice in the order of their publication.

        The order is found once, by ids alone; sorting again for each page would cost the square of their number.
        """
        order = (EventRow.stream_sequence, EventRow.id)
        ids = [row.id for row in await self._rows(select(EventRow.id).where(_is_in(part)).order_by(*order))]
        for first in range(0, len(ids), PAGE):
            page = select(EventRow).where(_is_one_of(EventRow.id, ids[first : first + PAGE])).order_by(*order)
            for row in await self._rows(page):
                yield RecordedMessage(row.subject, row.body, row.traceparent)

    async def is_recorded(self, event_id: UUID) -> bool:
        """Return whether an event is in the log."""
        async with open_connection(self._engine) as connection:
            return await connection.scalar(select(EventRow.id).where(EventRow.id == event_id)) is not None

    async def other_at(self, sequence: int, event_id: UUID) -> bool:
        """Return whether the log has an event of this sequence that is not this one: of another stream's history."""
        query = select(EventRow.id).where(EventRow.stream_sequence == sequence, EventRow.id != event_id).limit(1)
        async with open_connection(self._engine) as connection:
            return await connection.scalar(query) is not None

    async def next_sequence(self) -> int:
        """Return a number above the stream sequence of every recorded message."""
        return await EventLog(self._engine).newest_sequence() + 1

    async def purgeable_runs(self, runs: Collection[UUID]) -> set[UUID]:
        """Return the runs among `runs` that ended before the grace period and whose events no service needs any more.

        skill-learner has answered a success, and all sessions are closed: each run waits for its own, and for no other.
        """
        query = _ends(EventRow.run_id, EventRow.id, EventRow.type)
        query = query.where(_is_one_of(EventRow.run_id, runs), EventRow.recorded_at < func.now() - self._grace)
        async with open_connection(self._engine) as connection:
            ends = (await connection.execute(query)).all()
            answers = select(EventRow.id).where(_is_one_of(EventRow.id, [outcome_id(end.id) for end in ends]))
            answered = set(await connection.scalars(answers))
            sessions = _sessions(ends, *_SESSIONS).except_(_sessions(ends, SessionClosed, SessionFailed))
            unclosed = {row.run_id for row in await connection.execute(sessions)}
        done = {end.run_id for end in ends if end.type != RunSucceeded.__name__ or outcome_id(end.id) in answered}
        return done - unclosed

    async def runs_with_expired_end(self, runs: Collection[UUID]) -> set[UUID]:
        """Return the runs among `runs` whose end the stream need not hold any longer."""
        query = _ends(EventRow.run_id).where(
            _is_one_of(EventRow.run_id, runs), EventRow.recorded_at < func.now() - self._ends_kept
        )
        async with open_connection(self._engine) as connection:
            return set(await connection.scalars(query))

    @asynccontextmanager
    async def rebuild_lock(self) -> AsyncGenerator[None]:
        """Prevent rebuilds by other processes; raise `RebuildInProgressError` if another process is rebuilding."""
        async with open_connection(self._engine) as connection:
            if not await connection.scalar(text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": LOCK}):
                raise RebuildInProgressError
            yield

    async def _rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        async with open_connection(self._engine) as connection:
            return (await connection.execute(query)).all()


def _ends(*columns: InstrumentedAttribute[Any]) -> Select[*tuple[Any, ...]]:
    return select(*columns).where(EventRow.type.in_([ending.__name__ for ending in ENDINGS]))


def _sessions(ends: Sequence[Row[Any]], *classes: type[Event]) -> Select[*tuple[Any, ...]]:
    """Select run and role of events of these classes in runs that have ended."""
    ended = [end.run_id for end in ends]
    return select(EventRow.run_id, EventRow.role).where(
        _is_one_of(EventRow.run_id, ended), EventRow.type.in_([each.__name__ for each in classes])
    )


def _is_in(part: StreamSlice) -> ColumnElement[bool]:
    return or_(_is_one_of(EventRow.run_id, part.runs), _is_one_of(EventRow.id, part.single))


def _is_one_of(column: InstrumentedAttribute[UUID], ids: Collection[UUID]) -> ColumnElement[bool]:
    """Return the condition with a single array parameter, since Postgres allows at most 32,767 parameters."""
    return column == any_(literal(list(ids), ARRAY(Uuid)))
