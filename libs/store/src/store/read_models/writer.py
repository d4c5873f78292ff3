"""Writes rows of projections into the read models: one statement for each table and batch."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from store.bulk_insert import BulkInsert, Value, Values
from store.read_models.columns import MERGED, Merge, first_value, merge_of
from store.read_models.registry import TABLES
from store.read_models.row import Row

LOCK = 0x6D77726D
"""Key of the advisory lock ("mwrm"): writers share it, and a rebuild holds it alone."""
SHARE = f"SELECT pg_advisory_xact_lock_shared({LOCK})"

Key = tuple[Any, ...]


async def write_rows(connection: AsyncConnection, rows: Iterable[Row]) -> None:
    """Merge rows into the read models, in the caller's transaction, which holds the shared lock (`SHARE`)."""
    for merged, writer in _by_table(rows):
        await connection.exec_driver_sql(writer.insert.statement, writer.insert.arrays(merged))


def merge(table: Table, rows: Iterable[Values]) -> Sequence[Values]:
    """Return one row for each key, in the order of the keys."""
    return _WRITERS[table].merge(rows)


def _by_table(rows: Iterable[Row]) -> Iterable[tuple[Sequence[Values], "_Writer"]]:
    found: dict[Table, list[Values]] = defaultdict(list)
    for table, values in rows:
        found[table].append(values)
    for table in TABLES:
        if table in found:
            writer = _WRITERS[table]
            yield writer.merge(found[table]), writer


class _Writer:
    def __init__(self, table: Table) -> None:
        merges = [(column.name, merge_of(column)) for column in table.columns if not column.primary_key]
        assignments = ", ".join(how.sql(name) for name, how in merges)
        self.insert = BulkInsert(table, f"DO UPDATE SET {assignments}")
        self._key = tuple(column.name for column in table.primary_key)
        self._first: dict[str, Value] = {
            column.name: first_value(column) for column in table.columns if first_value(column) is not None
        }
        self._merged = {name: MERGED[how] for name, how in merges if how is not Merge.KEEP}

    def merge(self, rows: Iterable[Values]) -> Sequence[Values]:
        by_key: dict[Key, dict[str, Value]] = {}
        for values in rows:
            key = tuple([values[name] for name in self._key])
            stored = by_key.get(key)
            if stored is None:
                by_key[key] = {**self._first, **values}
            else:
                self._add(stored, values)
        return [by_key[key] for key in sorted(by_key, key=_order)]

    def _add(self, stored: dict[str, Value], values: Values) -> None:
        for name, value in values.items():
            if value is None:
                continue
            merged = self._merged.get(name)
            if merged is not None:
                stored[name] = merged(stored.get(name), value)
            elif stored.get(name) is None:
                stored[name] = value


def _order(key: Key) -> tuple[Any, ...]:
    """Return what orders keys as their ids do, without the comparisons of UUIDs, which are slow."""
    return (key[0].int, *key[1:])


_WRITERS = {table: _Writer(table) for table in TABLES}
