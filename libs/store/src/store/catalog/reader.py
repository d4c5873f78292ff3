"""Read access to the catalog: limited SQL queries, and parts by their ids."""

# asyncpg has no type stubs.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false

from collections.abc import Sequence
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, cast

from asyncpg import PostgresError
from contracts.model import Model
from contracts.models.catalog import CatalogPart
from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncEngine

from store.catalog.query_check import QueryRefusedError, check_query
from store.catalog.tables import part as parts
from store.outages import is_outage, open_connection

READER = "millwright_catalog_reader"
"""Database role that may read only the schema `catalog`."""
MAX_ROWS = 200
MAX_CELL_CHARS = 300
TIMEOUT_MS = 1000
_READ_ONLY = "25006"
_TIMEOUT = "57014"

Cell = str | float | int | bool | None


class Rows(Model):
    """The result of a query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    """States that rows were left out."""


class Catalog:
    """Reads the catalog.

    The engine's user should have no other rights: a query that passes the check could still reset its role.
    """

    def __init__(self, engine: AsyncEngine, timeout_ms: int = TIMEOUT_MS) -> None:
        self._engine = engine
        self._timeout_ms = timeout_ms

    async def query(self, sql: str) -> Rows:
        """Return at most `MAX_ROWS` rows of one SELECT over the schema `catalog`.

        Raises `QueryRefusedError` for any other statement, for errors of Postgres and for timeouts, and
        `DatabaseOutageError` in an outage.
        """
        check_query(sql)
        return await self.run_unchecked(sql)

    async def run_unchecked(self, sql: str) -> Rows:
        """Run a query without `check_query`: only the database limits what it can do."""
        async with open_connection(self._engine) as connection:
            raw: Any = (await connection.get_raw_connection()).driver_connection
            try:
                async with raw.transaction(readonly=True):
                    await raw.execute(
                        f"SET LOCAL statement_timeout = {self._timeout_ms}; SET LOCAL search_path = catalog;"
                        f"SET LOCAL ROLE {READER}"
                    )
                    prepared = await raw.prepare(sql)  # the extended protocol accepts only one statement
                    found = await (await prepared.cursor()).fetch(MAX_ROWS + 1)
                    columns = [attribute.name for attribute in prepared.get_attributes()]
            except PostgresError as error:
                if is_outage(error) and error.sqlstate != _READ_ONLY:
                    raise
                raise QueryRefusedError(self._reason(error)) from error
        return _rows(columns, found)

    async def parts(self, part_ids: Sequence[str]) -> dict[str, CatalogPart]:
        """Return the parts with these ids or aliases, in any case, by the given id; unknown ids are left out."""
        names = [part_id.lower() for part_id in part_ids]
        query = select(parts.c.record).where(or_(parts.c.part_id.in_(names), parts.c.aliases.overlap(names)))
        async with open_connection(self._engine) as connection:
            found = [CatalogPart.model_validate(record) for record in await connection.scalars(query)]
        known = {name: part for part in found for name in (part.id, *part.aliases)}
        return {part_id: known[part_id.lower()] for part_id in part_ids if part_id.lower() in known}

    async def similar_ids(self, part_id: str, count: int = 3) -> tuple[str, ...]:
        """Return the ids that resemble an unknown one, best first."""
        async with open_connection(self._engine) as connection:
            found = (await connection.execute(select(parts.c.part_id, parts.c.aliases))).all()
        names = {name: row.part_id for row in found for name in (row.part_id, *row.aliases)}
        close = get_close_matches(part_id.lower(), names, n=count, cutoff=0.5)
        return tuple(dict.fromkeys(cast("str", names[name]) for name in close))

    def _reason(self, error: PostgresError) -> str:
        if error.sqlstate == _TIMEOUT:
            return f"the query took longer than {self._timeout_ms} ms and was stopped; request less"
        if error.sqlstate == _READ_ONLY:
            return f"the catalog is read-only: {error}"
        return f"Postgres refuses the query: {' '.join(str(error).split())[:300]}"


def _rows(columns: Sequence[str], found: Sequence[Sequence[object]]) -> Rows:
    is_cut = len(found) > MAX_ROWS
    note = f"only the first {MAX_ROWS} rows are shown; narrow the query down" if is_cut else ""
    rows = tuple(tuple(_cell(value) for value in row) for row in found[:MAX_ROWS])
    return Rows(columns=tuple(columns), rows=rows, note=note)


def _cell(value: object) -> Cell:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        value = ", ".join(str(each) for each in cast("list[object]", value))
    text = str(value)
    return text if len(text) <= MAX_CELL_CHARS else f"{text[:MAX_CELL_CHARS]}…"
