"""Tools of the critic's model: cells in its kernel, and verdicts with their reasons and evidence."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from agent.kernel_session.cells import read_cell_call
from agent.loop.replies import CellAction, MalformedReplyError
from agent.loop.tool_calls import CodeCell, read_arguments, require_alone, require_few_calls
from contracts.events.benchmark import DraftCertified
from contracts.events.design import DesignSimulated
from contracts.events.plan import PlanRefused
from contracts.models.conversation import Message
from pydantic import BaseModel, ConfigDict, Field

from critic.notes import MAX_CELLS, CriticNotes, Question
from critic.verdict import Verdict, design_verdict

Reasons = Annotated[
    str,
    Field(min_length=1, description="A list; for a rejection each with place, measured value and what to change."),
]
Names = Annotated[
    list[str],
    Field(description="Variables of your cells; none for a plan."),
]


class Opinion(BaseModel):
    """A verdict by a tool call."""

    model_config = ConfigDict(extra="forbid")

    reasons: Reasons


class Approve(Opinion):
    """Approve it. For a design the evidence has the variable that holds `assess()` after the last rerun."""

    model_config = ConfigDict(title="approve")

    evidence: Names = []


class Reject(Opinion):
    """Reject it."""

    model_config = ConfigDict(title="reject")

    evidence: Names = []


class Uphold(Opinion):
    """Uphold the refusal: no design along this plan can satisfy the task."""

    model_config = ConfigDict(title="uphold")


class Deny(Opinion):
    """Deny the refusal: the engineer continues."""

    model_config = ConfigDict(title="deny")


_IS_POSITIVE: Mapping[type[BaseModel], bool] = {Approve: True, Reject: False, Uphold: True, Deny: False}
CRITIC_TOOLS: Sequence[type[BaseModel]] = (CodeCell, Approve, Reject, Uphold, Deny)


def tools_for(question: Question) -> Sequence[type[BaseModel]]:
    """Return the tools that fit a question."""
    match question:
        case DesignSimulated() | DraftCertified():
            return CodeCell, Approve, Reject
        case PlanRefused():
            return Uphold, Deny
        case _:
            return Approve, Reject


def read_calls(reply: Message, question: Question, notes: CriticNotes) -> CellAction | Verdict:
    """Return the reply's verdict, or its first cell once all are checked; raise `MalformedReplyError`.

    Several cells run in order, and a verdict is given in a reply of its own, when their results are known.
    """
    require_few_calls(reply)
    arguments = [read_arguments(call, tools_for(question)) for call in reply.tool_calls]
    require_alone(arguments, Opinion)
    if isinstance(arguments[0], Opinion):
        return _verdict(arguments[0], question, notes)
    if len(arguments) > notes.cells_left:
        raise MalformedReplyError(
            f"{len(arguments)} cells are too many: of the {MAX_CELLS} cells of this review {notes.cells_left} are left."
        )
    return read_cell_call(reply.tool_calls[0], (CodeCell,))


def _verdict(opinion: Opinion, question: Question, notes: CriticNotes) -> Verdict:
    is_positive, reasons = _IS_POSITIVE[type(opinion)], opinion.reasons.strip()
    if not reasons:
        raise MalformedReplyError("`reasons` is empty: a verdict needs them.")
    if not isinstance(question, DesignSimulated):
        return Verdict(is_positive=is_positive, review_md=reasons)
    names = opinion.evidence if isinstance(opinion, Approve | Reject) else []
    known = {each.name: each for each in notes.evidence}
    return design_verdict(reasons, [name.strip(" `") for name in names], known, notes.counted, is_positive=is_positive)
