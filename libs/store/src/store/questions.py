"""Questions as the read model lists them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

from contracts.model import Model
from contracts.models.questions.question import QuestionExecutor
from pydantic import NonNegativeFloat, NonNegativeInt
from sqlalchemy import RowMapping, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from store.outages import open_connection
from store.read_models.projections.questions import QUESTIONS
from store.read_models.projections.runs import RUNS
from store.runs import RunPosition

QuestionOutcome = Literal["running", "answered", "failed"]


class QuestionSummary(Model):
    """One question in a list of questions."""

    run_id: UUID
    asked_by: str
    """The service that asked: `cli`, `gateway`, or `cad-worker` for a critic's cell."""
    text: str
    """At most its first 2,000 characters."""
    answer_kind: str
    """What is expected, such as `choice` or `number`."""
    model: str
    executor: QuestionExecutor
    frames: NonNegativeInt
    """Images, or frames of the video."""
    is_video: bool
    started_at: datetime
    ended_at: datetime | None = None
    outcome: QuestionOutcome
    answer: str | None = None
    """The value as JSON."""
    ending: str | None = None
    """`returned`, or `last_valid`: a limit was reached, and it is the last answer that was accepted."""
    reason: str | None = None
    """Why it has no answer."""
    detail: str | None = None
    steps: NonNegativeInt | None = None
    """Model calls after the plan, of an answered question."""
    cells: NonNegativeInt
    perceptions: NonNegativeInt
    looks: NonNegativeInt
    """Answers of perception, and of the vision model to cells."""
    model_calls: NonNegativeInt
    input_tokens: NonNegativeInt
    output_tokens: NonNegativeInt
    cost_usd: NonNegativeFloat
    """Of the role's own model calls, at known prices."""


class QuestionPage(NamedTuple):
    """Some questions, newest first."""

    questions: Sequence[QuestionSummary]
    rest: RunPosition | None
    """The page after this one begins below it; None: this is the last page."""


_KEY = tuple_(QUESTIONS.c.sequence, QUESTIONS.c.run_id)
_SHOWN = (
    *(QUESTIONS.c[name] for name in QuestionSummary.model_fields if name in QUESTIONS.c and name != "outcome"),
    QUESTIONS.c.requested_at.label("started_at"),
    func.coalesce(QUESTIONS.c.outcome, "running").label("outcome"),
    *(RUNS.c[name] for name in ("model_calls", "input_tokens", "output_tokens", "cost_usd")),
)


class QuestionSummaries:
    """Reads the read model of questions."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def page(self, outcome: QuestionOutcome | None, below: RunPosition | None, limit: int) -> QuestionPage:
        """Return questions with an outcome or, without one, all, asked before the one at `below`, newest first."""
        query = select(QUESTIONS.c.sequence, *_SHOWN).join(RUNS, RUNS.c.run_id == QUESTIONS.c.run_id)
        query = query.where(QUESTIONS.c.sequence.is_not(None))
        if outcome is not None:
            query = query.where(QUESTIONS.c.outcome == (None if outcome == "running" else outcome))
        if below is not None:
            query = query.where(tuple_(below.sequence, below.run_id) > _KEY)
        query = query.order_by(QUESTIONS.c.sequence.desc(), QUESTIONS.c.run_id.desc()).limit(limit + 1)
        async with open_connection(self._engine) as connection:
            found = (await connection.execute(query)).mappings().all()
        page = found[:limit]
        last = RunPosition(page[-1]["sequence"], page[-1]["run_id"]) if len(found) > limit else None
        return QuestionPage([_summary(row) for row in page], last)


def _summary(row: RowMapping) -> QuestionSummary:
    return QuestionSummary.model_validate({name: row[name] for name in QuestionSummary.model_fields})
