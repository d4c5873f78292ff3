"""Questions about images: one row for each, with its answer and what the work on it used.

Whether an answer is right, the log does not know: the exact answers of a question set never reach an event.
"""

import json
from collections.abc import Iterator

from contracts.envelope import Event
from contracts.events.perception import PerceptionCompleted
from contracts.events.question import LookCompleted, QuestionAnswered, QuestionAsked, QuestionFailed
from contracts.events.session import CellCompleted
from sqlalchemy import Index

from store.read_models.bulk_insert import Value
from store.read_models.columns import (
    count_column,
    excerpt,
    failure,
    flag_column,
    id_column,
    short,
    table,
    text_column,
    time_column,
    whole_column,
)
from store.read_models.row import Projections, Row

QUESTIONS = table(
    "questions",
    id_column("run_id"),
    whole_column("sequence"),
    id_column("cause_id"),
    *(text_column(name) for name in ("asked_by", "text", "answer_kind", "model", "vision_model", "executor")),
    flag_column("is_planned"),
    whole_column("frames"),
    flag_column("is_video"),
    time_column("requested_at"),
    time_column("ended_at"),
    *(text_column(name) for name in ("outcome", "ending", "answer", "reason", "detail")),
    whole_column("steps"),
    *(count_column(name) for name in ("cells", "perceptions", "looks")),
    key=("run_id",),
    indexes=(Index(None, "sequence", "run_id"), Index(None, "outcome", "sequence")),
)
"""`asked_by`: the service that asked, such as `cli`, or `cad-worker` for a critic's cell (`cause_id`).
`outcome`: `answered` or `failed`. `answer`: the value as JSON. `steps`: model calls after the plan, of an answered
question. `perceptions`, `looks`: answers of perception and of the vision model. Model calls, tokens and costs are in
`runs`."""


def _row(event: Event, **values: Value) -> Iterator[Row]:
    yield Row(QUESTIONS, {"run_id": event.run_id, **values})


def _asked(event: QuestionAsked, sequence: int) -> Iterator[Row]:
    question = event.question
    return _row(
        event,
        sequence=sequence,
        cause_id=event.causation_id,
        asked_by=short(event.producer),
        text=excerpt(question.text),
        answer_kind=question.answer.kind,
        model=short(event.model),
        vision_model=None if event.vision_model is None else short(event.vision_model),
        executor=event.executor,
        is_planned=event.is_planned,
        frames=len(question.frames),
        is_video=question.metadata.is_video,
        requested_at=event.occurred_at,
    )


def _answered(event: QuestionAnswered, _: int) -> Iterator[Row]:
    return _row(
        event,
        ended_at=event.occurred_at,
        outcome="answered",
        ending=event.ending,
        answer=excerpt(json.dumps(event.answer.value)),
        steps=event.steps,
    )


def _failed(event: QuestionFailed, _: int) -> Iterator[Row]:
    return _row(event, **failure(event))


def _cell_completed(event: CellCompleted, _: int) -> Iterator[Row]:
    if event.kind == "question":
        yield from _row(event, cells=1)


PROJECTIONS: Projections = {
    QuestionAsked: _asked,
    QuestionAnswered: _answered,
    QuestionFailed: _failed,
    CellCompleted: _cell_completed,
    PerceptionCompleted: lambda event, _: _row(event, perceptions=1),
    LookCompleted: lambda event, _: _row(event, looks=1),
}
