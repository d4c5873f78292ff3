"""Planner's part: it opens a run, plans it, and alone ends it."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from agent.loop.prompts import Prompts
from agent.loop.role import Decision, Reaction, StepEvents, rejection_text
from agent.model.messages import tool_message, user_message
from contracts.envelope import Event, Role
from contracts.events.catalog import CatalogSearched, CatalogSearchFailed, CatalogSearchRequested
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignApproved
from contracts.events.plan import PlanProposed, PlanRejected, RefusalUpheld
from contracts.events.run import (
    EngineeringRequested,
    EnvironmentBuilt,
    EnvironmentRefused,
    EnvironmentRequested,
    RunFailed,
    RunSucceeded,
)
from contracts.events.session import SessionFailed
from contracts.events.simulation import FilmCompleted, FilmFailed
from contracts.model import Model
from contracts.models.benchmark import Environment
from contracts.models.conversation import Message, ToolCall
from pydantic import BaseModel, NonNegativeInt

from planner.catalog_search import MAX_FOUND, SearchCatalog, read_search, search_markdown
from planner.film import asked_for, succeeded
from planner.first_prompt import told_at_first
from planner.plan import read_reply

End = TypeVar("End", RunSucceeded, RunFailed)


class ModelProblem(Protocol):
    """Whoever knows the models."""

    def __call__(self, model: str, /, *, priced: bool = False) -> str | None:
        """Return why a model cannot be used, or None; with `priced` it must be known what it costs, too."""
        ...


class PlannerNotes(Model):
    """What planner keeps of a run."""

    request: EngineeringRequested | None = None
    environment: Environment | None = None
    rejections: NonNegativeInt = 0
    """Plans that the critic rejected, or that the engineer proved impossible."""
    searches: NonNegativeInt = 0
    open_call: ToolCall | None = None
    """The search that waits for its answer."""
    approved: DesignApproved | None = None
    """The design whose film is awaited."""
    ended: bool = False


class Planner:
    """Plans, and ends runs: on approval, refusal or exhaustion. What ends them from outside is in `limits`."""

    role: Role = "planner"
    tools: Sequence[type[BaseModel]] = (SearchCatalog,)
    notes_class: type[PlannerNotes] = PlannerNotes

    def __init__(self, model_problem: ModelProblem) -> None:
        self._model_problem = model_problem
        self._prompts = Prompts("planner")
        self.prompt_digest = self._prompts.digest

    async def on_event(self, event: Event, notes: PlannerNotes, pen: StepEvents) -> Reaction[PlannerNotes]:
        """Return what the event means; after the end nothing means anything."""
        if isinstance(event, EngineeringRequested):
            return self._open(event, pen)
        if notes.request is None or notes.ended:
            return Reaction(notes)
        if notes.approved is not None:
            return _premiere(event, notes, notes.request, notes.approved)
        failed = _failed(event, notes.request)
        if failed is not None:
            return _end(notes, failed, event)
        return self._go_on(event, notes, notes.request, pen)

    async def on_reply(self, reply: Message, notes: PlannerNotes, pen: StepEvents) -> Decision[PlannerNotes]:
        """Propose what the model planned, or look up what is sold."""
        assert notes.request is not None
        if reply.tool_calls:
            return _search(reply, notes, notes.request, pen)
        plan = read_reply(reply, notes.request.assignment.limits)
        proposed = pen.next(
            PlanProposed,
            assignment=notes.request.assignment,
            budget=notes.request.budget,
            model=notes.request.model,
            environment=notes.environment,
            plan_md=plan.plan_md,
            todo_md=plan.todo_md,
            executor=notes.request.executor,
            continues=notes.request.continues,
        )
        return Decision(notes, (proposed,))

    def give_up(self, problem: str, notes: PlannerNotes, pen: StepEvents) -> Decision[PlannerNotes]:
        """End the run: there is no plan without a model that can be read."""
        assert notes.request is not None
        failed = RunFailed.answering(notes.request, "planner", reason="model_failed", detail=problem)
        ended = _end(notes, failed, pen.cause)
        return Decision(ended.notes, ended.decided)

    def _open(self, request: EngineeringRequested, pen: StepEvents) -> Reaction[PlannerNotes]:
        notes = PlannerNotes(request=request)
        problem = self._model_problem(request.model, priced=request.budget.max_cost_usd is not None)
        if problem is not None:
            failed = RunFailed.answering(request, "planner", reason="model_failed", detail=problem)
            return _end(notes, failed, request)
        return Reaction(notes, decided=(pen.next(EnvironmentRequested, assignment=request.assignment),))

    def _go_on(
        self, event: Event, notes: PlannerNotes, request: EngineeringRequested, pen: StepEvents
    ) -> Reaction[PlannerNotes]:
        match event:
            case EnvironmentBuilt(environment=environment):
                says = told_at_first(self._prompts, request, environment)
                return Reaction(notes.model_copy(update={"environment": environment}), says, request.model)
            case CatalogSearched() | CatalogSearchFailed():
                return _answer_search(event, notes, request)
            case PlanRejected() | RefusalUpheld():
                return self._plan_again(event, notes, request)
            case ReplyRejected():
                return Reaction(notes, (user_message(rejection_text(event)),), request.model)
            case DesignApproved():
                return _film(event, notes, request, pen)
            case _:
                return Reaction(notes)

    def _plan_again(
        self, event: PlanRejected | RefusalUpheld, notes: PlannerNotes, request: EngineeringRequested
    ) -> Reaction[PlannerNotes]:
        rejections = notes.rejections + 1
        notes = notes.model_copy(update={"rejections": rejections})
        was_refused = isinstance(event, RefusalUpheld)
        if rejections > request.budget.max_rejections:
            reason, how = ("refused", "proved impossible") if was_refused else ("plan_rejected", "rejected")
            detail = f"plans failed {rejections} times, the last was {how}; the critic said of it: {event.review_md}"
            return _end(notes, RunFailed.answering(request, "planner", reason=reason, detail=detail), event)
        prompt = self._prompts.render("refused" if was_refused else "rejected", review=event.review_md.strip())
        return Reaction(notes, (user_message(prompt),), request.model)


def _search(
    reply: Message, notes: PlannerNotes, request: EngineeringRequested, pen: StepEvents
) -> Decision[PlannerNotes]:
    """Ask the catalog for what the reply looks for."""
    wanted = read_search(reply, notes.searches)
    quantity = request.assignment.quantity
    asked = pen.next(CatalogSearchRequested, words=wanted.words, limit=MAX_FOUND, quantity=quantity)
    update = {"searches": notes.searches + 1, "open_call": reply.tool_calls[0]}
    return Decision(notes.model_copy(update=update), (asked,))


def _answer_search(
    event: CatalogSearched | CatalogSearchFailed, notes: PlannerNotes, request: EngineeringRequested
) -> Reaction[PlannerNotes]:
    if notes.open_call is None:
        return Reaction(notes)
    answer = tool_message(notes.open_call, search_markdown(event, notes.searches))
    return Reaction(notes.model_copy(update={"open_call": None}), (answer,), request.model)


def _film(
    approved: DesignApproved, notes: PlannerNotes, request: EngineeringRequested, pen: StepEvents
) -> Reaction[PlannerNotes]:
    """Have the approved design filmed; what names no scene ends the run without."""
    film = asked_for(approved, pen)
    if film is None:
        return _end(notes, succeeded(request, approved, "the delivery names no scene"), approved)
    return Reaction(notes.model_copy(update={"approved": approved}), decided=(film,))


def _premiere(
    event: Event, notes: PlannerNotes, request: EngineeringRequested, approved: DesignApproved
) -> Reaction[PlannerNotes]:
    """End the run when there is a film, or will be none; nothing else matters to it any more."""
    match event:
        case FilmCompleted(media=media):
            return _end(notes, succeeded(request, approved, media), event)
        case FilmFailed(reason=reason, detail=detail):
            return _end(notes, succeeded(request, approved, f"it could not be filmed ({reason}): {detail}"), event)
        case _:
            return Reaction(notes)


def _failed(event: Event, request: EngineeringRequested) -> RunFailed | None:
    """Return how the run fails because of this event, if it does."""
    match event:
        case EnvironmentRefused():
            reason, detail = "benchmark_invalid", f"{event.reason}: {event.detail}"
        case SessionFailed():
            reason, detail = "session_failed", f"{event.role} got no kernel ({event.reason}): {event.detail}"
        case WorkAbandoned():
            reason, detail = event.reason, event.detail
        case _:
            return None
    return RunFailed.answering(request, "planner", reason=reason, detail=detail)


def _end(notes: PlannerNotes, end: End, cause: Event) -> Reaction[PlannerNotes]:
    """Decide the end. It answers the run's first request, and was caused by what planner has just heard."""
    return Reaction(
        notes.model_copy(update={"ended": True}), decided=(end.model_copy(update={"causation_id": cause.id}),)
    )
