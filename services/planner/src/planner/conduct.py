"""Planner's part: it opens a run, plans it, and alone ends it."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from agent.conduct import Acted, Heard, Pen, complaint
from agent.conversation import user
from agent.prompts import Prompts
from agent.rendering.assignment import assignment_markdown
from contracts.abandoned import WorkAbandoned
from contracts.benchmark import Environment
from contracts.conversation import Message, ReplyRejected
from contracts.design import DesignApproved
from contracts.engineering import (
    EngineeringRequested,
    EnvironmentBuilt,
    EnvironmentRefused,
    EnvironmentRequested,
    RunFailed,
    RunSucceeded,
)
from contracts.envelope import Event, Role
from contracts.model import Model
from contracts.planning import PlanProposed, PlanRejected
from contracts.session import SessionFailed
from contracts.simulation import FilmCompleted, FilmFailed
from pydantic import BaseModel, NonNegativeInt

from planner.filming import asked_for, succeeded
from planner.plan import read_plan

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
    approved: DesignApproved | None = None
    """The design whose film is awaited."""
    ended: bool = False


class Planner:
    """Plans, and ends runs: on approval, refusal or exhaustion. What ends them from outside is in `limits`."""

    role: Role = "planner"
    tools: Sequence[type[BaseModel]] = ()
    notes_class: type[PlannerNotes] = PlannerNotes

    def __init__(self, model_problem: ModelProblem) -> None:
        self._model_problem = model_problem
        self._prompts = Prompts("planner")
        self.prompt_digest = self._prompts.digest

    async def remember(self, event: Event, notes: PlannerNotes, pen: Pen) -> Heard[PlannerNotes]:
        """Return what the event means; after the end nothing means anything."""
        if isinstance(event, EngineeringRequested):
            return self._open(event, pen)
        if notes.request is None or notes.ended:
            return Heard(notes)
        if notes.approved is not None:
            return _premiere(event, notes, notes.request, notes.approved)
        failed = _failed(event, notes.request)
        if failed is not None:
            return _end(notes, failed, event)
        return self._go_on(event, notes, notes.request, pen)

    async def act(self, reply: Message, notes: PlannerNotes, pen: Pen) -> Acted[PlannerNotes]:
        """Propose what the model planned."""
        plan = read_plan(reply)
        assert notes.request is not None
        proposed = pen.write(
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
        return Acted(notes, (proposed,))

    def give_up(self, problem: str, notes: PlannerNotes, pen: Pen) -> Acted[PlannerNotes]:
        """End the run: there is no plan without a model that can be read."""
        assert notes.request is not None
        failed = RunFailed.answering(notes.request, "planner", reason="model_failed", detail=problem)
        ended = _end(notes, failed, pen.cause)
        return Acted(ended.notes, ended.decided)

    def _open(self, request: EngineeringRequested, pen: Pen) -> Heard[PlannerNotes]:
        notes = PlannerNotes(request=request)
        problem = self._model_problem(request.model, priced=request.budget.max_cost_usd is not None)
        if problem is not None:
            failed = RunFailed.answering(request, "planner", reason="model_failed", detail=problem)
            return _end(notes, failed, request)
        return Heard(notes, decided=(pen.write(EnvironmentRequested, assignment=request.assignment),))

    def _go_on(self, event: Event, notes: PlannerNotes, request: EngineeringRequested, pen: Pen) -> Heard[PlannerNotes]:
        match event:
            case EnvironmentBuilt(environment=environment):
                task = assignment_markdown(request.assignment, environment)
                says = (
                    Message(author="system", text=self._prompts.render("system")),
                    user(self._prompts.render("task", assignment=task)),
                )
                return Heard(notes.model_copy(update={"environment": environment}), says, request.model)
            case PlanRejected(review_md=review):
                return self._plan_again(event, review, notes, request)
            case ReplyRejected():
                return Heard(notes, (user(complaint(event)),), request.model)
            case DesignApproved():
                return _film(event, notes, request, pen)
            case _:
                return Heard(notes)

    def _plan_again(
        self, event: Event, review: str, notes: PlannerNotes, request: EngineeringRequested
    ) -> Heard[PlannerNotes]:
        rejections = notes.rejections + 1
        notes = notes.model_copy(update={"rejections": rejections})
        if rejections > request.budget.max_rejections:
            detail = f"the plan was rejected {rejections} times; the last review: {review}"
            return _end(notes, RunFailed.answering(request, "planner", reason="plan_rejected", detail=detail), event)
        return Heard(notes, (user(self._prompts.render("review", review=review)),), request.model)


def _film(
    approved: DesignApproved, notes: PlannerNotes, request: EngineeringRequested, pen: Pen
) -> Heard[PlannerNotes]:
    """Have the approved design filmed; what names no scene ends the run without."""
    film = asked_for(approved, pen)
    if film is None:
        return _end(notes, succeeded(request, approved, "the delivery names no scene"), approved)
    return Heard(notes.model_copy(update={"approved": approved}), decided=(film,))


def _premiere(
    event: Event, notes: PlannerNotes, request: EngineeringRequested, approved: DesignApproved
) -> Heard[PlannerNotes]:
    """End the run when there is a film, or will be none; nothing else matters to it any more."""
    match event:
        case FilmCompleted(media=media):
            return _end(notes, succeeded(request, approved, media), event)
        case FilmFailed(reason=reason, detail=detail):
            return _end(notes, succeeded(request, approved, f"it could not be filmed ({reason}): {detail}"), event)
        case _:
            return Heard(notes)


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


def _end(notes: PlannerNotes, end: End, cause: Event) -> Heard[PlannerNotes]:
    """Decide the end. It answers the run's first request, and was caused by what planner has just heard."""
    return Heard(notes.model_copy(update={"ended": True}), decided=(end.model_copy(update={"causation_id": cause.id}),))
