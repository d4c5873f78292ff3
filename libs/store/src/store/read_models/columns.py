"""Columns of read models, and how the values that several events have for one row become one.

The result must not depend on the batches in which events are recorded. So a column keeps its first value, which only
one event has (outcomes have derived ids), or sums, or is the earliest or latest time. Sums are exact: money and
durations are decimal numbers, since the sum of floats depends on their order.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any

from contracts.events.benchmark import GenerationFailed
from contracts.events.question import QuestionFailed
from contracts.events.run import RunFailed
from contracts.models.conversation import Usage
from sqlalchemy import BigInteger, Boolean, Column, Double, Index, Numeric, Table, Uuid

from store.read_models.bulk_insert import Value
from store.tables import SearchText, SearchTime
from store.tables import Table as Base

SCHEMA = "read_models"
MAX_COUNT = 10**11
"""Larger figures, as of a broken provider, count as this: no sum of them overflows."""
SHORT_CHARS = 200
"""Longer texts do not fit into an index."""
LONG_CHARS = 2000
_DECIMALS = Decimal("0.000000001")


class Merge(Enum):
    """How a column merges values."""

    KEEP = "coalesce(stored.{0}, excluded.{0})"
    ADD = "stored.{0} + excluded.{0}"
    EARLIEST = "least(stored.{0}, excluded.{0})"
    LATEST = "greatest(stored.{0}, excluded.{0})"

    def sql(self, column: str) -> str:
        """Return the assignment for a row that exists."""
        return f"{column} = {self.value.format(column)}"


MERGED: dict[Merge, Callable[[Any, Any], Any]] = {
    Merge.KEEP: lambda stored, new: new if stored is None else stored,
    Merge.ADD: lambda stored, new: stored + new,
    Merge.EARLIEST: lambda stored, new: new if stored is None else min(stored, new),
    Merge.LATEST: lambda stored, new: new if stored is None else max(stored, new),
}
"""The same for two values of one batch; the new one is never None."""


def merge_of(column: Column[Any]) -> Merge:
    """Return how a column merges."""
    return column.info.get("merge", Merge.KEEP)


def table(name: str, *columns: Column[Any], key: Sequence[str] = ("id",), indexes: Sequence[Index] = ()) -> Table:
    """Return a read model whose rows `key` distinguishes."""
    for column in columns:
        if column.name in key:
            column.primary_key, column.nullable = True, False
    return Table(name, Base.metadata, *columns, *indexes, schema=SCHEMA)


def id_column(name: str = "id", *, required: bool = False) -> Column[Any]:
    """Return a column of an event's or a run's id."""
    return Column(name, Uuid, nullable=not required)


def event_columns() -> tuple[Column[Any], Column[Any], Column[Any]]:
    """Return the columns of an event of a role: its id, its run and the role."""
    return id_column(), id_column("run_id", required=True), text_column("role", required=True)


def text_column(name: str, *, required: bool = False) -> Column[Any]:
    """Return a column of text."""
    return Column(name, SearchText, nullable=not required)


def time_column(name: str, merge: Merge = Merge.KEEP) -> Column[Any]:
    """Return a column of an event's time, by the clock of its producer."""
    return Column(name, SearchTime, info={"merge": merge})


def number_column(name: str) -> Column[Any]:
    """Return a column of a measured value."""
    return Column(name, Double)


def whole_column(name: str, merge: Merge = Merge.KEEP, *, required: bool = False) -> Column[Any]:
    """Return a column of a whole number."""
    return Column(name, BigInteger, autoincrement=False, info={"merge": merge}, nullable=not required)


def flag_column(name: str) -> Column[Any]:
    """Return a column of yes or no."""
    return Column(name, Boolean)


def decimal_column(name: str) -> Column[Any]:
    """Return a column of an exact number."""
    return Column(name, Numeric)


def count_column(name: str) -> Column[Any]:
    """Return a column that counts or sums whole numbers over events."""
    return Column(name, BigInteger, nullable=False, info={"merge": Merge.ADD})


def sum_column(name: str) -> Column[Any]:
    """Return a column that sums exact numbers over events."""
    return Column(name, Numeric, nullable=False, info={"merge": Merge.ADD})


def first_value(column: Column[Any]) -> Value:
    """Return what a row has before any event."""
    return 0 if merge_of(column) is Merge.ADD else None


def exact(value: float) -> Decimal:
    """Return a number that can be summed in any order; at most `MAX_COUNT`, with nine decimals."""
    return Decimal(repr(min(float(value), float(MAX_COUNT)))).quantize(_DECIMALS)


def whole(value: int) -> int:
    """Return a number that can be summed without overflow."""
    return min(value, MAX_COUNT)


def spent(usage: Usage) -> dict[str, Value]:
    """Return what a model call adds to the columns that count tokens and money."""
    return {
        "input_tokens": whole(usage.input_tokens),
        "cached_input_tokens": whole(usage.cached_input_tokens),
        "output_tokens": whole(usage.output_tokens),
        "cost_usd": exact(usage.cost_usd or 0.0),
        "unpriced_calls": int(usage.cost_usd is None),
    }


def failure(event: RunFailed | GenerationFailed | QuestionFailed) -> dict[str, Value]:
    """Return the end of a run that failed."""
    return {
        "ended_at": event.occurred_at,
        "outcome": "failed",
        "reason": event.reason,
        "detail": excerpt(event.detail),
    }


def short(text: str) -> str:
    """Return the beginning of a text, for columns with an index."""
    return text[:SHORT_CHARS]


def excerpt(text: str) -> str:
    """Return the beginning of a text: the event has all of it."""
    return text[:LONG_CHARS]
