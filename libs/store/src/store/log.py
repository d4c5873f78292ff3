"""The event log in Postgres, which only the recorder writes."""

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from contracts.envelope import Event
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.registry import parse
from sqlalchemy import Row, delete, func, or_, select, tuple_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from store.outages import open_connection, open_transaction
from store.tables import ArtifactNameRow, EventRow, UnreadableRow

PAGE = 500
_EVENT_KEY = tuple_(EventRow.stream_sequence, EventRow.id)
_UNREADABLE_KEY = tuple_(UnreadableRow.stream_sequence, UnreadableRow.digest)


@dataclass(frozen=True, kw_only=True)
class LogEntry:
    """An event to be recorded."""

    event: Event
    body: bytes
    """The message as received."""
    stream_sequence: int
    traceparent: str | None = None
    artifacts: tuple[ArtifactRef, ...] = ()
    """All artifacts that the event names."""


class LogPosition(NamedTuple):
    """Where an event is in the log: the order of the stream."""

    sequence: int
    """In the stream."""
    id: UUID
    """Of the event: a stream that was lost may have counted from 1 again."""


class PlacedEvent(NamedTuple):
    """A recorded event with its position."""

    position: LogPosition
    event: Event


@dataclass(frozen=True)
class LogMarks:
    """Where the events of a run can be divided into parts of one size."""

    count: int
    marks: tuple[LogPosition, ...]
    """Of the last event of each whole part."""
    last: LogPosition | None
    """Of the last event of all; None without events."""


@dataclass(frozen=True, kw_only=True)
class UnreadableMessage:
    """A message that is not a known event; it is recorded as well."""

    subject: str
    stream_sequence: int
    data: bytes
    reason: str


class EventLog:
    """Reads and writes the event log."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def append(self, entries: Sequence[LogEntry], unreadable: Sequence[UnreadableMessage] = ()) -> None:
        """Record events and messages in one transaction; rows that exist already remain unchanged."""
        async with open_transaction(self._engine) as connection:
            await _insert(connection, EventRow, [_event_values(entry) for entry in entries])
            await _insert(connection, UnreadableRow, [_unreadable_values(message) for message in unreadable])
            await _insert(connection, ArtifactNameRow, _artifact_values(entries))

    async def newest_sequence(self) -> int:
        """Return the highest stream sequence of all recorded messages; 0 if there is none."""
        async with open_connection(self._engine) as connection:
            newest = [
                await connection.scalar(select(func.max(each.stream_sequence))) for each in (EventRow, UnreadableRow)
            ]
        return max(sequence or 0 for sequence in newest)

    async def events_of(self, run_id: UUID) -> list[Event]:
        """Return the events of a run in the order of their publication."""
        query = (
            select(EventRow.subject, EventRow.body)
            .where(EventRow.run_id == run_id)
            .order_by(EventRow.stream_sequence, EventRow.recorded_at)
        )
        async with open_connection(self._engine) as connection:
            rows = await connection.execute(query)
            return [parse(subject, body) for subject, body in rows]

    async def page_of(
        self, run_id: UUID, after: LogPosition | None, limit: int, types: Collection[str] = ()
    ) -> list[PlacedEvent]:
        """Return at most `limit` events of a run that follow a position, of these classes or of all."""
        query = select(EventRow.stream_sequence, EventRow.id, EventRow.subject, EventRow.body)
        query = query.where(EventRow.run_id == run_id).order_by(EventRow.stream_sequence, EventRow.id).limit(limit)
        if after is not None:
            query = query.where(tuple_(after.sequence, after.id) < _EVENT_KEY)
        if types:
            query = query.where(EventRow.type.in_(types))
        async with open_connection(self._engine) as connection:
            rows = await connection.execute(query)
            return [
                PlacedEvent(LogPosition(sequence, id_), parse(subject, body)) for sequence, id_, subject, body in rows
            ]

    async def at(self, run_id: UUID, position: LogPosition) -> Event | None:
        """Return the event of a run at a position; None if it is not recorded."""
        query = select(EventRow.subject, EventRow.body)
        query = query.where(
            EventRow.run_id == run_id, EventRow.stream_sequence == position.sequence, EventRow.id == position.id
        )
        async with open_connection(self._engine) as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else parse(row.subject, row.body)

    async def newest(self, types: Collection[str], limit: int) -> list[Event]:
        """Return the newest events of all runs, of these classes or of all, newest first."""
        query = select(EventRow.subject, EventRow.body).order_by(EventRow.stream_sequence.desc()).limit(limit)
        if types:
            query = query.where(EventRow.type.in_(types))
        async with open_connection(self._engine) as connection:
            return [parse(subject, body) for subject, body in await connection.execute(query)]

    async def marks_of(self, run_id: UUID, every: int, types: Collection[str] = ()) -> LogMarks:
        """Return how many events of a run are recorded, of these classes or of all, and where each `every`-th is."""
        key = (EventRow.stream_sequence, EventRow.id)
        numbered = select(*key, func.row_number().over(order_by=key).label("number"))
        numbered = numbered.where(EventRow.run_id == run_id)
        if types:
            numbered = numbered.where(EventRow.type.in_(types))
        rows = numbered.subquery()
        last = select(func.max(rows.c.number)).scalar_subquery()
        query = select(rows.c.stream_sequence, rows.c.id, rows.c.number).order_by(rows.c.number)
        query = query.where(or_(rows.c.number % every == 0, rows.c.number == last))
        async with open_connection(self._engine) as connection:
            found = (await connection.execute(query)).all()
        marks = tuple(LogPosition(sequence, id_) for sequence, id_, number in found if number % every == 0)
        if not found:
            return LogMarks(0, marks, None)
        sequence, id_, count = found[-1]
        return LogMarks(count, marks, LogPosition(sequence, id_))

    async def count_until(self, run_id: UUID, position: LogPosition, types: Collection[str] = ()) -> int:
        """Return how many events of a run, of these classes or of all, are recorded up to a position, included."""
        query = select(func.count()).where(EventRow.run_id == run_id)
        query = query.where(tuple_(position.sequence, position.id) >= _EVENT_KEY)
        if types:
            query = query.where(EventRow.type.in_(types))
        async with open_connection(self._engine) as connection:
            return await connection.scalar(query) or 0

    async def artifact_type(self, sha256: Sha256) -> str | None:
        """Return the media type of an artifact that an event names; None if none does."""
        query = select(ArtifactNameRow.media_type).where(ArtifactNameRow.sha256 == sha256)
        async with open_connection(self._engine) as connection:
            return await connection.scalar(query)

    async def unreadable(self, limit: int = 100) -> list[UnreadableMessage]:
        """Return the newest unreadable messages, newest first."""
        query = select(UnreadableRow).order_by(UnreadableRow.stream_sequence.desc()).limit(limit)
        async with open_connection(self._engine) as connection:
            return [_message(row) for row in await connection.execute(query)]

    async def reparse_unreadable(self, read: Callable[[UnreadableMessage], LogEntry | None]) -> int:
        """Move messages that `read` can parse now into the log, and return their number.

        An event class or schema version that was unknown at recording time may be known after an update.
        """
        moved, after = 0, (0, "")
        while rows := await self._unreadable_after(after):
            read_rows = {(row.stream_sequence, row.digest): read(_message(row)) for row in rows}
            readable = {key: entry for key, entry in read_rows.items() if entry is not None}
            async with open_transaction(self._engine) as connection:
                await _insert(connection, EventRow, [_event_values(entry) for entry in readable.values()])
                await _insert(connection, ArtifactNameRow, _artifact_values(list(readable.values())))
                await connection.execute(delete(UnreadableRow).where(_UNREADABLE_KEY.in_(list(readable))))
            moved += len(readable)
            after = max(read_rows)
        return moved

    async def _unreadable_after(self, key: tuple[int, str]) -> Sequence[Row[Any]]:
        query = select(UnreadableRow).where(key < _UNREADABLE_KEY).order_by(_UNREADABLE_KEY).limit(PAGE)
        async with open_connection(self._engine) as connection:
            return (await connection.execute(query)).all()


def _message(row: Row[Any]) -> UnreadableMessage:
    return UnreadableMessage(subject=row.subject, stream_sequence=row.stream_sequence, data=row.data, reason=row.reason)


async def _insert(
    connection: AsyncConnection, table: type[EventRow | UnreadableRow | ArtifactNameRow], rows: list[dict[str, object]]
) -> None:
    if rows:
        await connection.execute(insert(table).on_conflict_do_nothing(), rows)


def _event_values(entry: LogEntry) -> dict[str, object]:
    event = entry.event
    return {
        "id": event.id,
        "run_id": event.run_id,
        "kind": event.kind,
        "role": event.role,
        "type": event.type,
        "subject": event.full_subject,
        "stream_sequence": entry.stream_sequence,
        "causation_id": event.causation_id,
        "producer": event.producer,
        "occurred_at": event.occurred_at,
        "schema_version": event.schema_version,
        "traceparent": entry.traceparent,
        "body": entry.body,
    }


def _artifact_values(entries: Sequence[LogEntry]) -> list[dict[str, object]]:
    """Return the rows in one order for all recorders: two that insert the same ones must not wait for each other."""
    named: dict[str, str] = {}
    for ref in (ref for entry in entries for ref in entry.artifacts):
        named.setdefault(ref.sha256, ref.media_type)
    return [{"sha256": sha256, "media_type": named[sha256]} for sha256 in sorted(named)]


def _unreadable_values(message: UnreadableMessage) -> dict[str, object]:
    return {
        "stream_sequence": message.stream_sequence,
        "digest": hashlib.sha256(message.data).hexdigest(),
        "subject": message.subject,
        "reason": message.reason,
        "data": message.data,
    }
