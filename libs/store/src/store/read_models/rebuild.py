"""The read models made from the log again, and their checksums."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any, NamedTuple

from contracts.registry import parse
from pydantic import ValidationError
from sqlalchemy import Boolean, Column, Integer, Select, case, delete, select, text, tuple_
from sqlalchemy import Row as ResultRow
from sqlalchemy import Table as CoreTable
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from store.read_models.columns import SCHEMA
from store.read_models.projections.runs import counted
from store.read_models.registry import READ_TYPES, TABLES, VERSION, rows_of
from store.read_models.row import Row
from store.read_models.writer import LOCK, write_rows
from store.tables import EventRow
from store.tables import Table as Base

PAGE = 5000
"""Events whose rows are written at once."""
STATE = CoreTable(
    "state",
    Base.metadata,
    Column("one", Boolean, primary_key=True, server_default=text("true")),
    Column("version", Integer, nullable=False),
    schema=SCHEMA,
)
"""One row: which version of the projections made the read models. None: they were never made, or are not restored."""

_Stored = ResultRow[*tuple[Any, ...]]
_KEY = tuple_(EventRow.stream_sequence, EventRow.id)
_EVENTS = select(
    EventRow.stream_sequence,
    EventRow.id,
    EventRow.run_id,
    EventRow.kind,
    EventRow.occurred_at,
    EventRow.subject,
    case((EventRow.type.in_(sorted(READ_TYPES)), EventRow.body)).label("body"),
).order_by(EventRow.stream_sequence, EventRow.id)
"""Without the bodies of classes that only count."""


class Rebuilt(NamedTuple):
    """What a rebuild has read."""

    events: int
    unreadable: int
    """Events that this version cannot parse: they only count in their run."""


async def rebuild_if_outdated(connection: AsyncConnection) -> Rebuilt | None:
    """Rebuild the read models, in the caller's transaction, if another version made them; None: they are current."""
    return None if await made_by(connection) == VERSION else await rebuild(connection)


async def made_by(connection: AsyncConnection) -> int | None:
    """Return the version of the projections that made the read models; None: they must be made."""
    return await connection.scalar(select(STATE.c.version))


async def rebuild(connection: AsyncConnection) -> Rebuilt:
    """Make all read models from the log again, in the caller's transaction.

    Readers see the old rows until it is committed. Recorders wait meanwhile, and what they are to record waits in the
    stream. The transaction's user needs the recorder's rights.
    """
    await connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
    for model in TABLES:
        await connection.execute(delete(model))
    read = unreadable = 0
    page = await _page(connection, None)
    while page:
        rows = _Rows(page)
        await write_rows(connection, rows)
        read, unreadable = read + len(page), unreadable + rows.unreadable
        page = await _page(connection, page[-1])
    state = insert(STATE).values(one=True, version=VERSION)
    await connection.execute(state.on_conflict_do_update(index_elements=["one"], set_={"version": VERSION}))
    return Rebuilt(read, unreadable)


async def checksums(connection: AsyncConnection) -> Mapping[str, str]:
    """Return the number of rows of each read model with a checksum of all of them, whatever their order."""
    found: dict[str, str] = {}
    for model in TABLES:
        name = f"{SCHEMA}.{model.name}"
        query = f"SELECT count(*), coalesce(sum(hashtextextended(r::text, 0)), 0) FROM {name} r"  # noqa: S608 - names of our tables
        counted_rows: _Stored = (await connection.exec_driver_sql(query)).one()
        found[model.name] = f"{counted_rows[0]} rows, {counted_rows[1]}"
    return found


async def _page(connection: AsyncConnection, after: _Stored | None) -> Sequence[_Stored]:
    query: Select[*tuple[Any, ...]] = _EVENTS.limit(PAGE)
    if after is not None:
        query = query.where(tuple_(after.stream_sequence, after.id) < _KEY)
    return (await connection.execute(query)).all()


class _Rows:
    """The rows of a page of the log; `unreadable` counts while they are read."""

    def __init__(self, page: Sequence[_Stored]) -> None:
        self._page = page
        self.unreadable = 0

    def __iter__(self) -> Iterator[Row]:
        for stored in self._page:
            yield from self._of(stored)

    def _of(self, stored: _Stored) -> Iterator[Row]:
        if stored.body is not None:
            try:
                event = parse(stored.subject, stored.body)
            except ValidationError:
                self.unreadable += 1
            else:
                yield from rows_of(event, stored.stream_sequence)
                return
        occurred_at = stored.occurred_at
        if occurred_at.tzinfo is None:  # as asyncpg returns the first and the last representable time
            occurred_at = occurred_at.replace(tzinfo=UTC)
        yield counted(stored.run_id, stored.kind, occurred_at)
