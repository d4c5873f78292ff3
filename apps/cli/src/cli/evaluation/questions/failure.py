"""The class of a failure on a question: what its run lacked, from its recorded events."""

from collections.abc import Mapping, Sequence
from typing import Literal

from contracts.envelope import Event
from contracts.events.perception import PerceptionCompleted, PerceptionFailed
from contracts.events.question import QuestionAnswered, QuestionFailed
from contracts.events.session import CellCompleted

QuestionFailureClass = Literal["perception", "code", "wrong", "refused", "budget", "model", "system"]
"""`perception`: the last thing that was asked of it was refused or not found. `code`: a cell failed, and the next one
gave up. `wrong`: all ran, and the answer is not right. `refused`: the agent named what is missing instead of answering.
`system`: it ended for a reason that is not the agent's."""

_ENDS: Mapping[str, QuestionFailureClass] = {
    "model_failed": "model",
    "steps_exhausted": "budget",
    "tokens_exhausted": "budget",
    "deadline": "budget",
    "session_failed": "system",
    "cancelled": "system",
    "abandoned": "system",
}


def question_failure(end: QuestionAnswered | QuestionFailed, events: Sequence[Event]) -> QuestionFailureClass:
    """Return why a question has no right answer; `events` are those of the run in order."""
    if isinstance(end, QuestionFailed) and end.is_refusal:
        return "refused"
    if isinstance(end, QuestionFailed) and end.reason in _ENDS:
        return _ENDS[end.reason]
    perceived = [each for each in events if isinstance(each, PerceptionCompleted | PerceptionFailed)]
    if perceived and isinstance(perceived[-1], PerceptionFailed):
        return "perception"
    cells = [each for each in events if isinstance(each, CellCompleted)]
    has_failed = any(each.observation.status != "ok" for each in cells[-2:])
    return "code" if has_failed else "wrong"
