"""Journals: the entries of each role."""

from collections.abc import Iterator

from contracts.events.conversation import JournalEntryAdded
from sqlalchemy import Index

from store.read_models.columns import event_columns, table, text_column, time_column, whole_column
from store.read_models.row import Projections, Row

JOURNAL_ENTRIES = table(
    "journal_entries",
    *event_columns(),
    whole_column("sequence", required=True),
    whole_column("number", required=True),
    *(text_column(name, required=True) for name in ("about", "intent", "result", "reflection", "next_step")),
    time_column("occurred_at"),
    whole_column("from_token", required=True),
    whole_column("to_token", required=True),
    indexes=(Index(None, "run_id", "sequence"),),
)


def _added(event: JournalEntryAdded, sequence: int) -> Iterator[Row]:
    yield Row(
        JOURNAL_ENTRIES,
        {
            "id": event.id,
            "run_id": event.run_id,
            "role": event.role,
            "sequence": sequence,
            "number": event.number,
            "about": event.about,
            "intent": event.intent,
            "result": event.result,
            "reflection": event.reflection,
            "next_step": event.next_step,
            "occurred_at": event.occurred_at,
            "from_token": event.from_token,
            "to_token": event.to_token,
        },
    )


PROJECTIONS: Projections = {JournalEntryAdded: _added}
