"""The event log: written by the recorder alone, read by anyone who wants to tell what happened."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from contracts.envelope import Event
from contracts.language import parse
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from store.tables import EventRow, UnreadableRow


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An event on its way into the log."""

    event: Event
    body: str
    """The message as it was received."""
    stream_sequence: int
    traceparent: str | None = None


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """A message that is no event of ours, on its way into the log all the same."""

    subject: str
    stream_sequence: int
    data: bytes
    reason: str


class EventLog:
    """The log over an engine."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def append(self, entries: Sequence[Entry], unreadable: Sequence[Unreadable] = ()) -> None:
        """Record all of them, in one transaction; what is recorded already stays as it is.

        An entry that Postgres cannot hold (a NUL in the producer's name, say) is kept as unreadable instead: whoever
        records must never be stopped by what somebody said.
        """
        try:
            await self._append(entries, unreadable)
        except DBAPIError as error:
            _raise_unless_about_data(error)
            for entry in entries:
                await self._append_one(entry)
            await self._append([], unreadable)

    async def _append_one(self, entry: Entry) -> None:
        try:
            await self._append([entry], [])
        except DBAPIError as error:
            _raise_unless_about_data(error)
            await self._append([], [_refused(entry, str(error.orig))])

    async def _append(self, entries: Sequence[Entry], unreadable: Sequence[Unreadable]) -> None:
        async with self._engine.begin() as connection:
            await _insert(connection, EventRow, [_event_values(entry) for entry in entries])
            await _insert(connection, UnreadableRow, [_unreadable_values(message) for message in unreadable])

    async def events_of(self, run_id: UUID) -> list[Event]:
        """Return the events of a run in the order in which they were published."""
        query = (
            select(EventRow.subject, EventRow.body)
            .where(EventRow.run_id == run_id)
            .order_by(EventRow.stream_sequence, EventRow.recorded_at)
        )
        async with self._engine.connect() as connection:
            rows = await connection.execute(query)
            return [parse(subject, body.encode()) for subject, body in rows]

    async def unreadable(self, limit: int = 100) -> list[Unreadable]:
        """Return the newest messages that could not be read, newest first."""
        query = select(UnreadableRow).order_by(UnreadableRow.stream_sequence.desc()).limit(limit)
        async with self._engine.connect() as connection:
            rows = await connection.execute(query)
            return [
                Unreadable(subject=row.subject, stream_sequence=row.stream_sequence, data=row.data, reason=row.reason)
                for row in rows
            ]


def _raise_unless_about_data(error: DBAPIError) -> None:
    """Raise the error being handled unless a value is at fault: refused by asyncpg itself, or by the server (22xxx)."""
    cause = error.driver_exception
    sqlstate = str(getattr(cause, "sqlstate", ""))
    if not (isinstance(cause, ValueError) or sqlstate.startswith("22")):
        raise error


def _refused(entry: Entry, reason: str) -> Unreadable:
    return Unreadable(
        subject=entry.event.full_subject,
        stream_sequence=entry.stream_sequence,
        data=entry.body.encode("utf-8", "surrogatepass"),
        reason=reason,
    )


async def _insert(
    connection: AsyncConnection, table: type[EventRow | UnreadableRow], rows: list[dict[str, object]]
) -> None:
    if rows:
        await connection.execute(insert(table).on_conflict_do_nothing(), rows)


def _event_values(entry: Entry) -> dict[str, object]:
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


def _unreadable_values(message: Unreadable) -> dict[str, object]:
    return {
        "stream_sequence": message.stream_sequence,
        "digest": sha256(message.data).hexdigest(),
        "subject": _printable(message.subject),
        "reason": _printable(message.reason),
        "data": message.data,
    }


def _printable(text: str) -> str:
    """Return text that Postgres takes: NUL and lone surrogates are spelled out."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
