"""Cells and files of sessions: each request of a role with its answer. Code and output stay in the log."""

from collections.abc import Iterator

from contracts.events import session
from sqlalchemy import Index

from store.read_models.columns import (
    event_columns,
    excerpt,
    flag_column,
    id_column,
    number_column,
    short,
    table,
    text_column,
    time_column,
    whole_column,
)
from store.read_models.row import Projections, Row, rows_of_answer, rows_of_request

CELLS = table(
    "cells",
    *event_columns(),
    whole_column("sequence"),
    id_column("cause_id"),
    text_column("purpose"),
    whole_column("code_chars"),
    time_column("requested_at"),
    time_column("completed_at"),
    *(text_column(name) for name in ("status", "error_type", "error_message")),
    whole_column("error_line"),
    number_column("elapsed_s"),
    *(whole_column(name) for name in ("output_chars", "variables", "images", "simulations", "epoch")),
    flag_column("was_recovered"),
    text_column("ending"),
    indexes=(Index(None, "run_id", "sequence"),),
)
"""`id`: of the CellRequested. `cause_id`: as of model calls. `ending`: `submission` or `refusal`, if the cell ended
the role's work."""

FILES = table(
    "files",
    *event_columns(),
    whole_column("sequence"),
    id_column("cause_id"),
    *(text_column(name) for name in ("action", "path")),
    time_column("requested_at"),
    time_column("answered_at"),
    *(text_column(name) for name in ("outcome", "reason")),
    whole_column("size_bytes"),
    whole_column("findings"),
    indexes=(Index(None, "run_id", "sequence"),),
)
"""`action`: `write`, `edit` or `view`. `outcome`: `written`, `viewed` or `refused`."""


def _requested(event: session.CellRequested, sequence: int) -> Iterator[Row]:
    return rows_of_request(
        CELLS,
        event,
        sequence,
        cause_id=event.causation_id,
        purpose=excerpt(event.purpose),
        code_chars=len(event.code),
    )


def _completed(event: session.CellCompleted, _: int) -> Iterator[Row]:
    observation, error = event.observation, event.observation.error
    return rows_of_answer(
        CELLS,
        event,
        completed_at=event.occurred_at,
        status=observation.status,
        error_type=None if error is None else short(error.type),
        error_message=None if error is None else excerpt(error.message),
        error_line=None if error is None else error.line,
        elapsed_s=observation.elapsed_s,
        output_chars=observation.output_chars,
        variables=len(observation.variables) + observation.variables_left_out,
        images=len(observation.images),
        simulations=event.simulations,
        epoch=event.epoch,
        was_recovered=observation.recovery is not None,
        ending=None if event.ending is None else type(event.ending).__name__.lower(),
    )


def _file_requested(
    event: session.FileWriteRequested | session.FileEditRequested | session.FileViewRequested, sequence: int
) -> Iterator[Row]:
    action = {
        session.FileWriteRequested: "write",
        session.FileEditRequested: "edit",
        session.FileViewRequested: "view",
    }[type(event)]
    path, cause_id = short(event.path), event.causation_id
    return rows_of_request(FILES, event, sequence, cause_id=cause_id, action=action, path=path)


def _written(event: session.FileWritten, _: int) -> Iterator[Row]:
    return rows_of_answer(
        FILES,
        event,
        answered_at=event.occurred_at,
        outcome="written",
        size_bytes=event.size_bytes,
        findings=len(event.findings),
    )


def _viewed(event: session.FileViewed, _: int) -> Iterator[Row]:
    return rows_of_answer(FILES, event, answered_at=event.occurred_at, outcome="viewed")


def _refused(event: session.FileRefused, _: int) -> Iterator[Row]:
    return rows_of_answer(FILES, event, answered_at=event.occurred_at, outcome="refused", reason=event.reason)


PROJECTIONS: Projections = {
    session.CellRequested: _requested,
    session.CellCompleted: _completed,
    session.FileWriteRequested: _file_requested,
    session.FileEditRequested: _file_requested,
    session.FileViewRequested: _file_requested,
    session.FileWritten: _written,
    session.FileViewed: _viewed,
    session.FileRefused: _refused,
}
