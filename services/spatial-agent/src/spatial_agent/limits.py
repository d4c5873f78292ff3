"""Limits that end a question from outside: time, tokens, the user, or a message that was given up."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from agent.run_limits import abandonment, abandons_one_of, caused_by
from agent.token_prices import NOTHING_SPENT, add_usage, tokens_of
from chassis.bus import Bus
from contracts.envelope import Event, answering
from contracts.events.conversation import ModelCalled, ReplyLost
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.perception import PerceptionRequested
from contracts.events.question import LookCompleted, LookRequested, QuestionAnswered, QuestionAsked, QuestionFailed
from contracts.events.run import CancelRequested
from contracts.events.session import CellCompleted
from contracts.models.questions.answers import ValidAnswer

Limit = Literal["deadline", "tokens_exhausted", "cancelled", "abandoned"]
TOOL_REQUESTS = (PerceptionRequested, LookRequested)
"""What cells request: a cell whose tool gets no answer goes on with the problem."""


def deadline_of(asked: QuestionAsked) -> datetime:
    """Return the time at which the question must have ended."""
    return asked.occurred_at + timedelta(seconds=asked.limits.deadline_s)


async def end_at_deadline(asked: QuestionAsked, bus: Bus) -> Sequence[Event]:
    """End the question; the last valid answer counts. An earlier end was stored first and remains."""
    detail = f"no accepted answer within {asked.limits.deadline_s:,g} s; allow more time"
    return [await _ended(asked, asked, bus, "deadline", detail)]


async def check_spending(call: ModelCalled | LookCompleted, bus: Bus) -> Sequence[Event]:
    """End the question if all its model calls together, looks and lost replies included, exceed its limit."""
    asked = await bus.latest(QuestionAsked, call.run_id)
    if asked is None or asked.limits.max_tokens is None:
        return []
    spent = NOTHING_SPENT
    for kind in (ModelCalled, ReplyLost, LookCompleted):
        newest = await bus.latest(kind, call.run_id, "spatial-agent")
        spent = spent if newest is None else add_usage(spent, newest.spent)
    used, most = tokens_of(spent), asked.limits.max_tokens
    if used <= most:
        return []
    return [await _ended(asked, call, bus, "tokens_exhausted", f"{used:,} of {most:,} tokens are used; allow more")]


async def cancel_run(cancellation: CancelRequested, bus: Bus) -> Sequence[Event]:
    """End the question; do nothing if the run is not one."""
    asked = await bus.latest(QuestionAsked, cancellation.run_id)
    return [] if asked is None else [_failed(asked, cancellation, "cancelled", cancellation.reason)]


async def end_on_dead_letter(dead_letter: MessageAbandoned, bus: Bus) -> Sequence[Event]:
    """End the question, since an outcome will never come; dead letters of the recorder are about no outcome."""
    asked = await bus.latest(QuestionAsked, dead_letter.run_id)
    if asked is None or dead_letter.producer == "recorder" or abandons_one_of(dead_letter, TOOL_REQUESTS):
        return []
    return [_failed(asked, dead_letter, "abandoned", abandonment(dead_letter))]


async def _ended(
    asked: QuestionAsked, cause: Event, bus: Bus, reason: Limit, detail: str
) -> QuestionAnswered | QuestionFailed:
    cells = [each for each in await bus.history(asked.run_id) if isinstance(each, CellCompleted)]
    last = next((each.answer for each in reversed(cells) if each.answer is not None), None)
    if last is None:
        return _failed(asked, cause, reason, detail)
    return caused_by(cause, _last_valid(asked, last, len(cells)))


def _last_valid(asked: QuestionAsked, answer: ValidAnswer, steps: int) -> QuestionAnswered:
    return QuestionAnswered(**answering(asked, "spatial-agent"), answer=answer, ending="last_valid", steps=steps)


def _failed(asked: QuestionAsked, cause: Event, reason: Limit, detail: str) -> QuestionFailed:
    return caused_by(cause, QuestionFailed(**answering(asked, "spatial-agent"), reason=reason, detail=detail))
