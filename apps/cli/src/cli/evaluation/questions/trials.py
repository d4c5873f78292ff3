"""Trials of questions: what came of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from agent.token_prices import NOTHING_SPENT, add_usage
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled, ReplyLost
from contracts.events.perception import PerceptionRequested
from contracts.events.question import LookCompleted, QuestionAnswered, QuestionAsked, QuestionFailed
from contracts.model import Model
from contracts.models.conversation import Usage
from contracts.models.questions.answers import Value
from pydantic import Field, NonNegativeFloat, NonNegativeInt
from questions.items import QuestionItem
from questions.scorers import score

from cli.evaluation.questions.failure import QuestionFailureClass, question_failure


class QuestionTrial(Model):
    """The result of one question with one variant."""

    id: str
    """Of the question."""
    kind: str
    level: NonNegativeInt
    number: NonNegativeInt
    """Of the question in its set."""
    executor: str
    """Name of the variant."""
    model: str
    run_id: UUID
    score: float = Field(ge=0, le=1)
    given: Value | None
    exact: Value
    reason: str = ""
    """Why there is no answer."""
    failure: QuestionFailureClass | None = None
    """None for a full score."""
    steps: NonNegativeInt
    """Model calls after the plan."""
    model_calls: NonNegativeInt
    perceptions: NonNegativeInt
    input_tokens: NonNegativeInt
    output_tokens: NonNegativeInt
    cost_usd: NonNegativeFloat | None
    time_s: NonNegativeFloat
    primitives: dict[str, int] = Field(default_factory=dict[str, int])
    """How often the cells of an answered question use each, as written."""

    @property
    def benchmark(self) -> str:
        """Return the name of the group in which trials are compared."""
        return self.kind

    @property
    def seed(self) -> int:
        """Return what tells the questions of one kind apart."""
        return self.number

    @property
    def solved(self) -> bool:
        """Tell whether the answer has the full score."""
        return self.score >= 1


@dataclass(frozen=True)
class QuestionAttempt:
    """One question with one variant, as it was asked."""

    number: int
    """Of the question in its set."""
    executor: str
    """Name of the variant."""
    item: QuestionItem
    asked: QuestionAsked
    time_s: float


def question_trial(
    attempt: QuestionAttempt, end: QuestionAnswered | QuestionFailed, events: Sequence[Event]
) -> QuestionTrial:
    """Return the trial of an attempt from the run's events in their order; `end` is the first end."""
    item, asked = attempt.item, attempt.asked
    given = end.answer.value if isinstance(end, QuestionAnswered) else None
    reached = score(item, given)
    calls = [each for each in events if isinstance(each, ModelCalled)]
    acted = [each for each in calls if each.purpose == "act"]
    spent = spent_of(events)
    return QuestionTrial(
        number=attempt.number,
        executor=attempt.executor,
        time_s=attempt.time_s,
        id=item.id,
        kind=item.kind,
        level=item.level,
        model=asked.model,
        run_id=asked.run_id,
        score=reached,
        given=given,
        exact=item.exact,
        reason=f"{end.reason}: {end.detail}" if isinstance(end, QuestionFailed) else "",
        failure=None if reached >= 1 else question_failure(end, events),
        steps=end.steps if isinstance(end, QuestionAnswered) else len(acted),
        model_calls=len(calls),
        perceptions=sum(isinstance(each, PerceptionRequested) for each in events),
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cost_usd=spent.cost_usd,
        primitives=_primitives(end),
    )


def spent_of(events: Sequence[Event]) -> Usage:
    """Return what all model calls of a question cost: the newest event of each class holds a total."""
    spent = NOTHING_SPENT
    for kind in (ModelCalled, ReplyLost, LookCompleted):
        newest = next((each for each in reversed(events) if isinstance(each, kind)), None)
        spent = spent if newest is None else add_usage(spent, newest.spent)
    return spent


def _primitives(end: QuestionAnswered | QuestionFailed) -> dict[str, int]:
    return {each.name: each.count for each in end.primitives} if isinstance(end, QuestionAnswered) else {}
