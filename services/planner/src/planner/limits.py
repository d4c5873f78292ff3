"""Limits that end a run from outside: time, tokens, money, the user, or a message that was given up.

None of them enters the planner's thread, which may be in the middle of a long model call: the end is stored at once and
stops everything that is in flight for the run.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from agent.run_limits import abandonment, abandons_one_of, caused_by
from agent.token_prices import spent_by_role, tokens_of, total_of, unknown_price
from chassis.bus import Bus
from contracts.envelope import Event, Role, answering, outcome_id
from contracts.events.catalog import CatalogSearchRequested
from contracts.events.conversation import ModelCalled, ReplyLost
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.design import DesignApproved
from contracts.events.rendering import RenderRequested
from contracts.events.run import CancelRequested, EngineeringRequested, EngineeringStarted, RunFailed, RunSucceeded
from contracts.events.simulation import FilmRequested, SimulationRequested
from contracts.models.assessment import ENOUGH_REPLICAS, ENOUGH_SEEDS, STABLE_FROM
from contracts.models.conversation import Usage
from contracts.models.simulation import Media

Limit = Literal["deadline", "cancelled", "tokens_exhausted", "money_exhausted", "model_failed", "abandoned"]
End = RunFailed | RunSucceeded
TOOL_REQUESTS = (SimulationRequested, RenderRequested, CatalogSearchRequested, FilmRequested)
"""What tools request, as cad-worker publishes it while a cell runs."""


async def request_of(started: EngineeringStarted, bus: Bus) -> EngineeringRequested:
    """Return the request of a started run."""
    request = await bus.latest(EngineeringRequested, started.run_id)
    if request is None:
        raise LookupError(f"run {started.run_id} was started, but its request is not in the stream")
    return request


async def end_at_deadline(started: EngineeringStarted, bus: Bus) -> Sequence[Event]:
    """End the run; an approved design is delivered without its film. An earlier end was stored first and remains."""
    request = await request_of(started, bus)
    approved = await bus.latest(DesignApproved, started.run_id)
    if approved is not None:
        end = end_of_approved(request, approved, "the run's time was over before the film was made")
        return [caused_by(started, end)]
    detail = f"no approved design within {started.deadline_s:,g} s; allow more time or an easier benchmark"
    return [_failed(request, started, "deadline", detail)]


async def cancel_run(cancellation: CancelRequested, bus: Bus) -> Sequence[Event]:
    """End the run; do nothing if it was never requested."""
    request = await bus.latest(EngineeringRequested, cancellation.run_id)
    return [] if request is None else [_failed(request, cancellation, "cancelled", cancellation.reason)]


async def end_on_dead_letter(dead_letter: MessageAbandoned, bus: Bus) -> Sequence[Event]:
    """End the run, since an outcome will never come; without a film the run of an approved design still succeeds.

    Dead letters of the recorder are about messages that have no outcome. Those of a tool's request end its call: the
    cell goes on with the problem.
    """
    if dead_letter.producer == "recorder" or _is_of_tool(dead_letter):
        return []
    detail = abandonment(dead_letter)
    request = await bus.latest(EngineeringRequested, dead_letter.run_id)
    if request is None:
        return _end_of_unreadable_run(dead_letter, detail)
    approved = await bus.latest(DesignApproved, dead_letter.run_id)
    if approved is not None:
        return [caused_by(dead_letter, end_of_approved(request, approved, detail))]
    return [_failed(request, dead_letter, "abandoned", detail)]


def _is_of_tool(dead_letter: MessageAbandoned) -> bool:
    """Return whether a kernel's tool waits for the abandoned request, and receives the dead letter as its answer.

    The planner requests searches and films, too, on its own thread, on which it has no kernel.
    """
    is_answer = dead_letter.causation_id is not None and dead_letter.id == outcome_id(dead_letter.causation_id)
    return is_answer and dead_letter.role != "planner" and abandons_one_of(dead_letter, TOOL_REQUESTS)


def _end_of_unreadable_run(dead_letter: MessageAbandoned, detail: str) -> Sequence[Event]:
    """End the run whose request is the abandoned message itself; its outcome has the id that a readable one would have.

    A dead letter of another message, in a run that was never requested, ends nothing.
    """
    if not dead_letter.abandoned_subject.startswith(f"{EngineeringRequested.subject}.") or not dead_letter.causation_id:
        return []
    failed = RunFailed(
        id=outcome_id(dead_letter.causation_id),
        run_id=dead_letter.run_id,
        role="planner",
        causation_id=dead_letter.id,
        producer="planner",
        reason="abandoned",
        detail=detail,
    )
    return [failed]


async def check_spending(call: ModelCalled | ReplyLost, bus: Bus) -> Sequence[Event]:
    """End the run if all its model calls together, lost ones included, exceed its budget."""
    request = await bus.latest(EngineeringRequested, call.run_id)
    if request is None or (request.budget.max_tokens is None and request.budget.max_cost_usd is None):
        return []
    exceeded = _exceeded(await spent_by_role(bus, call.run_id), request, call.model)
    return [] if exceeded is None else [_failed(request, call, *exceeded)]


def end_of_approved(request: EngineeringRequested, approved: DesignApproved, media: Media | str) -> End:
    """Return the end of a run whose design was approved, with its media or the reason why there are none.

    The run succeeds only if physics has proven the design, whatever has approved it.
    """
    unproven = unproven_because(approved)
    if unproven is not None:
        return RunFailed(**answering(request, "planner"), reason="design_rejected", detail=unproven)
    changes = {"media": media} if isinstance(media, Media) else {"media_problem": media}
    return RunSucceeded(
        **answering(request, "planner"),
        delivery=approved.delivery.model_copy(update=changes),
        bill=approved.bill,
        result=approved.result,
        assessment=approved.assessment,
    )


def unproven_because(approved: DesignApproved) -> str | None:
    """Return what an approved design lacks to be delivered as solved, with its measured values; None if nothing."""
    result, assessment = approved.result, approved.assessment
    if not result.is_proven:
        reached = sum(replica.ending == "reached_goal" for replica in result.replicas)
        return (
            f"a design was approved that physics has not proven: {result.verdict} and {result.stability}, "
            f"{reached} of {len(result.replicas)} replicas reached the goal"
        )
    if assessment is None or not assessment.is_sufficient:
        counted = "no reruns" if assessment is None else str(assessment)
        return (
            f"a design was approved on too few or too unreliable reruns ({counted}); at least {ENOUGH_REPLICAS} "
            f"replicas under {ENOUGH_SEEDS} seeds are needed, {STABLE_FROM:.0%} of them successful"
        )
    return None


def _exceeded(spent: Mapping[Role, Usage], request: EngineeringRequested, model: str) -> tuple[Limit, str] | None:
    """Return the exceeded limit and its figures, or None."""
    budget, total = request.budget, total_of(spent)
    if budget.max_tokens is not None and tokens_of(total) > budget.max_tokens:
        shares = ", ".join(f"{role} {tokens_of(usage):,}" for role, usage in spent.items())
        detail = f"{tokens_of(total):,} of {budget.max_tokens:,} tokens are used ({shares}); allow more tokens"
        return "tokens_exhausted", detail
    if budget.max_cost_usd is None:
        return None
    if total.cost_usd is None:
        return "model_failed", unknown_price(model)
    if total.cost_usd > budget.max_cost_usd:
        shares = ", ".join(f"{role} {usage.cost_usd:.4f}" for role, usage in spent.items())
        detail = f"{total.cost_usd:.4f} of {budget.max_cost_usd:g} USD are spent ({shares}); allow a higher cost"
        return "money_exhausted", detail
    return None


def _failed(request: EngineeringRequested, cause: Event, reason: Limit, detail: str) -> RunFailed:
    return caused_by(cause, RunFailed(**answering(request, "planner"), reason=reason, detail=detail))
