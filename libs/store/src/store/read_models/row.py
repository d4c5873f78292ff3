"""What a projection makes of an event."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from contracts.envelope import Event
from sqlalchemy import Table

from store.read_models.bulk_insert import Value, Values


class Row(NamedTuple):
    """What one event contributes to one row of a read model; the values contain the row's key."""

    table: Table
    values: Values


Projection = Callable[[Any, int], Iterable[Row]]
"""From an event and its place in the stream to rows. Pure: no clock, no database, nothing but the event."""
Projections = Mapping[type[Event], Projection]


def rows_of_request(table: Table, event: Event, sequence: int, **values: Value) -> Iterator[Row]:
    """Yield the row that a request begins."""
    own: dict[str, Value] = {"id": event.id, "run_id": event.run_id, "role": event.role}
    yield Row(table, {**own, "sequence": sequence, "requested_at": event.occurred_at, **values})


def rows_of_answer(table: Table, event: Event, **values: Value) -> Iterator[Row]:
    """Yield what an answer adds to the row of its request; nothing of an event that nothing caused."""
    if event.causation_id is not None:
        yield Row(table, {"id": event.causation_id, "run_id": event.run_id, "role": event.role, **values})
