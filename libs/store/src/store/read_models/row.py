"""What a projection makes of an event."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from contracts.envelope import Event
from sqlalchemy import Table

from store.bulk_insert import Values


class Row(NamedTuple):
    """What one event contributes to one row of a read model; the values contain the row's key."""

    table: Table
    values: Values


Projection = Callable[[Any, int], Iterable[Row]]
"""From an event and its place in the stream to rows. Pure: no clock, no database, nothing but the event."""
Projections = Mapping[type[Event], Projection]
