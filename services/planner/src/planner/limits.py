"""What ends a run from outside: time, tokens, money, the user's word, or a message that was given up.

None of this enters planner's thread, which may be in the middle of a long model call: the end is stored at once, and
what is in flight for the run is stopped by it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, TypeVar

from agent.model.prices import unpriced
from agent.model.spend import Log, spent_by_role, tokens_of, total_of
from contracts.envelope import Event, Role
from contracts.events.conversation import ModelCalled
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.design import DesignApproved
from contracts.events.run import CancelRequested, EngineeringRequested, RunFailed, RunSucceeded
from contracts.models.conversation import Usage

from planner.film import succeeded

Limit = Literal["deadline", "cancelled", "tokens_exhausted", "money_exhausted", "model_failed", "abandoned"]
End = TypeVar("End", RunFailed, RunSucceeded)


def due(request: EngineeringRequested) -> datetime:
    """Return when the run must be over."""
    return request.occurred_at + timedelta(seconds=request.budget.deadline_s)


async def miss_deadline(request: EngineeringRequested, log: Log) -> Sequence[Event]:
    """End the run; if it has ended by now, that end was stored first and stands. An approved design waits no longer
    for its film."""
    approved = await log.latest(DesignApproved, request.run_id)
    if approved is not None:
        return [_caused_by(request, succeeded(request, approved, "the run's time was over before the film was made"))]
    detail = f"no approved design within {request.budget.deadline_s:,g} s; allow more time or an easier benchmark"
    return [_end(request, request, "deadline", detail)]


async def cancel(wish: CancelRequested, log: Log) -> Sequence[Event]:
    """End the run; without a run there is nothing to end."""
    request = await log.latest(EngineeringRequested, wish.run_id)
    return [] if request is None else [_end(request, wish, "cancelled", wish.reason)]


async def give_up(letter: MessageAbandoned, log: Log) -> Sequence[Event]:
    """End the run, since an outcome that somebody waits for will never come; if that is the film of an approved
    design, the run succeeds without.

    The recorder's letters are about messages that nobody waits for.
    """
    request = await log.latest(EngineeringRequested, letter.run_id)
    if request is None or letter.producer == "recorder":
        return []
    detail = f"{letter.consumer} gave up {letter.abandoned_subject} ({letter.reason}): {letter.detail}"
    approved = await log.latest(DesignApproved, letter.run_id)
    if approved is not None:
        return [_caused_by(letter, succeeded(request, approved, detail))]
    return [_end(request, letter, "abandoned", detail)]


async def weigh(call: ModelCalled, log: Log) -> Sequence[Event]:
    """End the run if all its model calls together used more than it may."""
    request = await log.latest(EngineeringRequested, call.run_id)
    if request is None or (request.budget.max_tokens is None and request.budget.max_cost_usd is None):
        return []
    exceeded = _exceeded(await spent_by_role(log, call.run_id), request, call.model)
    return [] if exceeded is None else [_end(request, call, *exceeded)]


def _exceeded(spent: Mapping[Role, Usage], request: EngineeringRequested, model: str) -> tuple[Limit, str] | None:
    """Return which limit is exceeded and the figures, or None."""
    budget, total = request.budget, total_of(spent)
    if budget.max_tokens is not None and tokens_of(total) > budget.max_tokens:
        shares = ", ".join(f"{role} {tokens_of(usage):,}" for role, usage in spent.items())
        detail = f"{tokens_of(total):,} of {budget.max_tokens:,} tokens are used ({shares}); allow more tokens"
        return "tokens_exhausted", detail
    if budget.max_cost_usd is None:
        return None
    if total.cost_usd is None:
        return "model_failed", unpriced(model)
    if total.cost_usd > budget.max_cost_usd:
        shares = ", ".join(f"{role} {usage.cost_usd:.4f}" for role, usage in spent.items())
        detail = f"{total.cost_usd:.4f} of {budget.max_cost_usd:g} USD are spent ({shares}); allow a higher cost"
        return "money_exhausted", detail
    return None


def _end(request: EngineeringRequested, cause: Event, reason: Limit, detail: str) -> RunFailed:
    """Return the end: the answer to the run's first request, and caused by what was heard."""
    return _caused_by(cause, RunFailed.answering(request, "planner", reason=reason, detail=detail))


def _caused_by(cause: Event, end: End) -> End:
    changes: dict[str, Any] = {"causation_id": cause.id}
    return end.model_copy(update=changes)
