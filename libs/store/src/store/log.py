"""The event log in Postgres, which only the recorder writes."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast
from uuid import UUID

from contracts.envelope import Event
from contracts.models.artifact import ArtifactRef, Sha256
from contracts.registry import parse
from sqlalchemy import Row, delete, func, or_, select, tuple_
from sqlalchemy import Table as CoreTable
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from store.outages import open_connection, open_transaction
from store.read_models.bulk_insert import BulkInsert, Values
from store.read_models.registry import rows_of
from store.read_models.writer import SHARE, write_rows
from store.tables import ArtifactNameRow, EventRow, Table, UnreadableRow

PAGE = 500
STATEMENT_BYTES = 16 * 1024 * 1024
"""Bodies in one statement; Postgres's limit for one message is 1 GiB."""
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
        """Record events and messages in one transaction, with the rows that the events make in the read models.

        Rows that exist already remain unchanged, and an event that is recorded already makes none again.
        """
        async with open_transaction(self._engine) as connection:
            await _record(connection, entries)
            await _insert(connection, _UNREADABLE, [_unreadable_values(message) for message in unreadable])

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

    async def runs_beginning_with(self, prefix: str, limit: int) -> list[UUID]:
        """Return at most so many ids of recorded runs that begin with these hexadecimal digits, in order."""
        low, high = UUID(prefix.ljust(32, "0")), UUID(prefix.ljust(32, "f"))
        query = select(EventRow.run_id).where(EventRow.run_id.between(low, high)).distinct()
        async with open_connection(self._engine) as connection:
            return list(await connection.scalars(query.order_by(EventRow.run_id).limit(limit)))

    async def ids_of(self, run_id: UUID) -> set[UUID]:
        """Return the ids of a run's events, those of newer versions included, which this code could not read."""
        async with open_connection(self._engine) as connection:
            return set(await connection.scalars(select(EventRow.id).where(EventRow.run_id == run_id)))

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
                await _record(connection, list(readable.values()))
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


def _table(row: type[Table]) -> CoreTable:
    return cast("CoreTable", row.__table__)


_EVENTS = BulkInsert(_table(EventRow), "DO NOTHING RETURNING id")
_UNREADABLE = BulkInsert(_table(UnreadableRow))
_ARTIFACT_NAMES = BulkInsert(_table(ArtifactNameRow))


async def _record(connection: AsyncConnection, entries: Sequence[LogEntry]) -> None:
    """Record events, the artifacts that they name, and the rows of those that were not recorded before."""
    await connection.exec_driver_sql(SHARE)
    first: dict[UUID, LogEntry] = {}
    for entry in entries:
        first.setdefault(entry.event.id, entry)
    recorded: set[UUID] = set()
    for part in _parts(first.values()):
        recorded.update(await _insert(connection, _EVENTS, [_event_values(entry) for entry in part]))
    await _insert(connection, _ARTIFACT_NAMES, _artifact_values(entries))
    new = (entry for event_id, entry in first.items() if event_id in recorded)
    await write_rows(connection, (row for entry in new for row in rows_of(entry.event, entry.stream_sequence)))


def _parts(entries: Iterable[LogEntry]) -> Iterator[list[LogEntry]]:
    part: list[LogEntry] = []
    size = 0
    for entry in entries:
        part.append(entry)
        size += len(entry.body)
        if size > STATEMENT_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


async def _insert(connection: AsyncConnection, into: BulkInsert, rows: Sequence[Values]) -> Sequence[UUID]:
    """Insert rows and return the ids that the statement returns, if any."""
    if not rows:
        return ()
    result = await connection.exec_driver_sql(into.statement, into.arrays(rows))
    return result.scalars().all() if result.returns_rows else ()


def _event_values(entry: LogEntry) -> Values:
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


def _artifact_values(entries: Sequence[LogEntry]) -> list[Values]:
    """Return the rows in one order for all recorders: two that insert the same ones must not wait for each other."""
    named: dict[str, str] = {}
    for ref in (ref for entry in entries for ref in entry.artifacts):
        named.setdefault(ref.sha256, ref.media_type)
    return [{"sha256": sha256, "media_type": named[sha256]} for sha256 in sorted(named)]


def _unreadable_values(message: UnreadableMessage) -> Values:
    return {
        "stream_sequence": message.stream_sequence,
        "digest": hashlib.sha256(message.data).hexdigest(),
        "subject": message.subject,
        "reason": message.reason,
        "data": message.data,
    }
