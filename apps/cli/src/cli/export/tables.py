"""All rows of a run, and the files of an export."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol, Self

from artifacts.port import ArtifactStore
from contracts.envelope import Event
from contracts.events.run import EngineeringRequested
from local_stack.errors import UserError
from pydantic import BaseModel

from cli.export.chat import call_rows, conversation_rows, reply_preferences
from cli.export.rows import CallRow, CellRow, ConversationRow, DesignRow, LogRow, PreferenceRow, Row, RunRow
from cli.export.work import cell_rows, design_preferences, design_rows, event_rows, run_row

Format = Literal["jsonl", "parquet"]
TABLES: dict[str, type[Row]] = {
    "runs": RunRow,
    "events": LogRow,
    "calls": CallRow,
    "cells": CellRow,
    "designs": DesignRow,
    "conversations": ConversationRow,
    "preferences": PreferenceRow,
}
"""By the name of their file."""
NAMES: dict[type[BaseModel], str] = {row: name for name, row in TABLES.items()}


async def rows_of(events: Sequence[Event], artifacts: ArtifactStore) -> AsyncIterator[Row]:
    """Yield all rows of a run, whose events are in the order of the log with their long texts restored."""
    requested = next((event for event in events if isinstance(event, EngineeringRequested)), None)
    if requested is None:
        raise UserError(f"run {events[0].run_id} has no request of an engineering run")
    run = run_row(events, requested)
    designs = [each async for each in design_rows(events, artifacts)]
    conversations = list(conversation_rows(events, run))
    engineer = next((each.messages for each in conversations if each.role == "engineer"), ())
    opening = engineer[: next((n for n, each in enumerate(engineer) if each.role == "assistant"), 0)]
    tables = (
        [run],
        event_rows(events),
        call_rows(events),
        cell_rows(events),
        designs,
        conversations,
        reply_preferences(events),
        design_preferences(events, designs, opening),
    )
    for table in tables:
        for row in table:
            yield row


class Writer(Protocol):
    """Writes rows into the files of a folder, one for each table. A context manager."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    def write(self, row: Row) -> None:
        """Append a row to its table."""
        ...


class JsonlWriter:
    """Writes JSON Lines."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Self:
        self._files = {name: (self._folder / f"{name}.jsonl").open("w", encoding="utf-8") for name in TABLES}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for file in self._files.values():
            file.close()

    def write(self, row: Row) -> None:
        """Append a row to its table."""
        self._files[NAMES[type(row)]].write(row.model_dump_json() + "\n")
