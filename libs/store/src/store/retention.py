"""Which part of the log the stream holds: what is in flight, what has just ended, and the ends of the rest for a while.

Whatever asks whether a run has ended, or whether its end was learned from, asks the stream; so the end and its answer
stay there for much longer than all that led to them.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from contracts.envelope import outcome_id
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from sqlalchemy import ARRAY, ColumnElement, Row, Select, Uuid, any_, func, literal, or_, select, text, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.orm import InstrumentedAttribute

from store.errors import StoreError
from store.outages import open_connection
from store.settings import RetentionSettings
from store.tables import EventRow, UnreadableRow

PAGE = 100
"""Messages read at once; one may measure close to a megabyte."""
LOCK = 0x6D776273
"""Postgres' advisory lock is a number; ours is an arbitrary one ("mwbs")."""


class RebuildInProgressError(StoreError):
    """Somebody else is at it."""

    def __init__(self) -> None:
        super().__init__("another process is rebuilding the stream from this database: wait until it is done")


@dataclass(frozen=True)
class RecordedMessage:
    """What was recorded of one message."""

    subject: str
    body: bytes
    traceparent: str | None


@dataclass(frozen=True)
class StreamSlice:
    """A part of the log."""

    runs: frozenset[UUID]
    """Whole ones."""
    single: frozenset[UUID]
    """Events of other runs, by id."""


class RetentionPolicy:
    """The rule, over an engine."""

    def __init__(self, engine: AsyncEngine, settings: RetentionSettings) -> None:
        self._engine = engine
        self._grace = timedelta(seconds=settings.recorder_grace_s)
        self._ends_kept = timedelta(seconds=settings.recorder_ends_kept_s)

    async def unfinished_runs(self) -> set[UUID]:
        """Return the runs that were opened and have not ended."""
        opened = select(EventRow.run_id).where(EventRow.type == EngineeringRequested.__name__)
        async with open_connection(self._engine) as connection:
            begun = set(await connection.scalars(opened))
            return begun - set(await connection.scalars(_ends(EventRow.run_id)))

    async def current_slice(self) -> StreamSlice:
        """Return what the stream has to hold."""
        unfinished = await self.unfinished_runs()
        recent = _ends(EventRow.run_id).where(EventRow.recorded_at > func.now() - self._grace)
        kept = _ends(EventRow.id).where(EventRow.recorded_at > func.now() - self._ends_kept)
        async with open_connection(self._engine) as connection:
            whole = unfinished | set(await connection.scalars(recent))
            ends = set(await connection.scalars(kept))
        return StreamSlice(frozenset(whole), frozenset(ends | {outcome_id(end) for end in ends}))

    async def count(self, part: StreamSlice) -> int:
        """Return how many messages a part has."""
        async with open_connection(self._engine) as connection:
            return await connection.scalar(select(func.count()).select_from(EventRow).where(_belongs_to(part))) or 0

    async def messages(self, part: StreamSlice) -> AsyncIterator[RecordedMessage]:
        """Yield a part in the order in which it was said."""
        place = tuple_(EventRow.stream_sequence, EventRow.id)
        query = select(EventRow).where(_belongs_to(part)).order_by(EventRow.stream_sequence, EventRow.id).limit(PAGE)
        rows = await self._rows(query)
        while rows:
            for row in rows:
                yield RecordedMessage(row.subject, row.body, row.traceparent)
            rows = await self._rows(query.where(place > (rows[-1].stream_sequence, rows[-1].id)))

    async def next_sequence(self) -> int:
        """Return a number above that of every message that was ever recorded."""
        async with open_connection(self._engine) as connection:
            newest = [
                await connection.scalar(select(func.max(table.stream_sequence))) for table in (EventRow, UnreadableRow)
            ]
        return max(sequence or 0 for sequence in newest) + 1

    async def purgeable_runs(self, runs: Collection[UUID]) -> set[UUID]:
        """Return those of `runs` whose end is older than the grace period, and whose success was learned from."""
        query = _ends(EventRow.run_id, EventRow.id, EventRow.type)
        query = query.where(_one_of(EventRow.run_id, runs), EventRow.recorded_at < func.now() - self._grace)
        async with open_connection(self._engine) as connection:
            ends = (await connection.execute(query)).all()
            answers = select(EventRow.id).where(_one_of(EventRow.id, [outcome_id(end.id) for end in ends]))
            answered = set(await connection.scalars(answers))
        return {end.run_id for end in ends if end.type == RunFailed.__name__ or outcome_id(end.id) in answered}

    async def runs_with_expired_end(self, runs: Collection[UUID]) -> set[UUID]:
        """Return those of `runs` whose end need not be kept in the stream any longer."""
        query = _ends(EventRow.run_id).where(
            _one_of(EventRow.run_id, runs), EventRow.recorded_at < func.now() - self._ends_kept
        )
        async with open_connection(self._engine) as connection:
            return set(await connection.scalars(query))

    @asynccontextmanager
    async def rebuild_lock(self) -> AsyncGenerator[None]:
        """Keep other processes from rebuilding meanwhile; raise `RebuildingAlreadyError` when one does."""
        async with open_connection(self._engine) as connection:
            if not await connection.scalar(text("SELECT pg_try_advisory_xact_lock(:lock)"), {"lock": LOCK}):
                raise RebuildInProgressError
            yield

    async def _rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        async with open_connection(self._engine) as connection:
            return (await connection.execute(query)).all()


def _ends(*columns: InstrumentedAttribute[Any]) -> Select[*tuple[Any, ...]]:
    return select(*columns).where(EventRow.type.in_([RunSucceeded.__name__, RunFailed.__name__]))


def _belongs_to(part: StreamSlice) -> ColumnElement[bool]:
    return or_(_one_of(EventRow.run_id, part.runs), _one_of(EventRow.id, part.single))


def _one_of(column: InstrumentedAttribute[UUID], ids: Collection[UUID]) -> ColumnElement[bool]:
    """Return the condition as one parameter; a list of them may have no more than 32,767."""
    return column == any_(literal(list(ids), ARRAY(Uuid)))
