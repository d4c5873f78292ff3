"""Statements that insert many rows at once: one array for each column, whatever values an event has.

One statement for a batch costs Postgres and Python a fraction of one for each row. Values that Postgres cannot store
are changed as in `store.tables`: no event can prevent its own recording.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Boolean, Column, Double, Integer, LargeBinary, Numeric, Table, Uuid
from sqlalchemy.types import TypeEngine

from store.tables import SearchText, SearchTime, text_to_store, time_to_store

Value = UUID | str | int | float | Decimal | bool | datetime | bytes | None
Values = Mapping[str, Value]

MAX_INT = 2**31 - 1
MAX_BIGINT = 2**63 - 1


def _integer(limit: int) -> Callable[[Any], int]:
    return lambda value: max(-limit, min(limit, value))


def _same(value: Value) -> Value:
    return value


_KINDS: tuple[tuple[type[TypeEngine[Any]], str, Callable[[Any], Value]], ...] = (
    (SearchText, "text", text_to_store),
    (SearchTime, "timestamptz", time_to_store),
    (Uuid, "uuid", _same),
    (LargeBinary, "bytea", _same),
    (Boolean, "boolean", _same),
    (Double, "double precision", _same),
    (Numeric, "numeric", _same),
    (BigInteger, "bigint", _integer(MAX_BIGINT)),
    (Integer, "integer", _integer(MAX_INT)),
)
"""For each type of column its name in Postgres, and what makes a value storable; subclasses come first."""


@dataclass(frozen=True)
class BulkInsert:
    """Inserts rows into one table; `conflict` is the clause for rows that exist."""

    table: Table
    conflict: str = "DO NOTHING"

    @cached_property
    def columns(self) -> tuple[Column[Any], ...]:
        """The columns that a row sets: all that have no default of the server."""
        return tuple(column for column in self.table.columns if column.server_default is None)

    @cached_property
    def statement(self) -> str:
        """The SQL with one array for each column."""
        names = ", ".join(column.name for column in self.columns)
        arrays = ", ".join(f"${at}::{_kind(column)[0]}[]" for at, column in enumerate(self.columns, 1))
        keys = ", ".join(column.name for column in self.table.primary_key)
        name = f"{self.table.schema}.{self.table.name}"
        return (
            f"INSERT INTO {name} AS stored ({names}) SELECT * FROM unnest({arrays}) "  # noqa: S608 - names of our tables
            f"ON CONFLICT ({keys}) {self.conflict}"
        )

    def arrays(self, rows: Sequence[Values]) -> tuple[list[Value], ...]:
        """Return the parameters of the statement; a column that a row lacks is null."""
        return tuple(_stored([row.get(name) for row in rows], convert) for name, convert in self._conversions)

    @cached_property
    def _conversions(self) -> tuple[tuple[str, Callable[[Any], Value]], ...]:
        return tuple((column.name, _kind(column)[1]) for column in self.columns)


def _stored(values: list[Value], convert: Callable[[Any], Value]) -> list[Value]:
    if convert is _same:
        return values
    return [None if value is None else convert(value) for value in values]


def _kind(column: Column[Any]) -> tuple[str, Callable[[Any], Value]]:
    for type_, name, convert in _KINDS:
        if isinstance(column.type, type_):
            return name, convert
    raise TypeError(f"column {column} has the type {column.type!r}, which cannot be inserted in bulk")
