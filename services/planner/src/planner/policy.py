"""Policy of the planner: it opens a run, plans it, and is the only role that ends it."""

from collections.abc import Sequence
from typing import Protocol

from agent.journal.entries import one_line
from agent.loop.role import Decision, Prompts, Reaction, StepEvents, rejection_text
from agent.model.messages import user_message
from agent.run_limits import caused_by
from artifacts.port import ArtifactStore
from contracts.envelope import Event, Role, answering
from contracts.events.catalog import CatalogSearched, CatalogSearchFailed
from contracts.events.conversation import ReplyRejected, ToolAnswered
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignApproved
from contracts.events.plan import PlanProposed, PlanRejected, RefusalUpheld
from contracts.events.run import (
    EngineeringRequested,
    EnvironmentRefused,
    EnvironmentRequested,
    RunFailed,
    WorldChecked,
    WorldRefused,
)
from contracts.events.session import SessionFailed
from contracts.events.simulation import FilmCompleted, FilmFailed, FilmRequested
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.conversation import Message
from pydantic import BaseModel

from planner.estimates import EstimatePrice, read_estimate
from planner.limits import End, end_of_approved, unproven_because
from planner.lookups import Lookup, look_up, require_lookups_left
from planner.messages import LookedUp, first_messages, lookup_markdown
from planner.notes import PlannerNotes
from planner.replies import CatalogSearch, PlannedWork, read_end, read_plan
from planner.tool_calls import (
    PLANNER_TOOLS,
    TOOLS_AFTER_A_REFUSAL,
    NoOtherPlan,
    ProposePlan,
    lookup_of,
    planned_work,
    read_calls,
)
from planner.workspace import PlannerWorkspace, ViewDocument

_PROOF_CHARS = 600


class ModelCheck(Protocol):
    """Checks models; see `RoleModel.problem`."""

    def __call__(self, model: str, /, *, priced: bool = False) -> str | None:
        """Return why a model cannot be used, or None; with `priced` its price must be known, too."""
        ...


class Planner:
    """Plans, and ends runs on approval, refusal or exhaustion; `limits` end them from outside."""

    role: Role = "planner"
    tools: Sequence[type[BaseModel]] = PLANNER_TOOLS
    notes_class: type[PlannerNotes] = PlannerNotes

    def __init__(self, model_problem: ModelCheck, artifacts: ArtifactStore) -> None:
        self._model_problem = model_problem
        self._prompts = Prompts("planner")
        self._workspace = PlannerWorkspace(artifacts, self._prompts)
        self.prompt_digest = self._prompts.digest

    async def on_event(self, event: Event, notes: PlannerNotes, events: StepEvents) -> Reaction[PlannerNotes]:
        """React to an event; after the end nothing is decided."""
        if isinstance(event, EngineeringRequested):
            return self._open(event, events)
        if notes.request is None or notes.ended:
            return Reaction(notes)
        if notes.approved is not None:
            return _end_with_film(event, notes, notes.request, notes.approved)
        failure = _failure(event, notes.request)
        if failure is not None:
            return _end(notes, failure, event)
        if isinstance(event, CatalogSearched | CatalogSearchFailed | ToolAnswered):
            return await self._answer_lookup(event, notes, notes.request, events)
        return self._react(event, notes, notes.request, events)

    async def on_reply(self, reply: Message, notes: PlannerNotes, events: StepEvents) -> Decision[PlannerNotes]:
        """Propose the plan, look something up, or end a run whose refusal left no other idea."""
        request = notes.request
        assert request is not None
        if reply.tool_calls:
            return await self._act(reply, notes, request, events)
        why = read_end(reply) if notes.proof else None
        if why is not None:
            return _end_refused(notes, request, events, why)
        notes = notes.begin_calls(reply)
        estimate = read_estimate(reply)
        if estimate is not None:
            require_lookups_left([estimate], notes)
            return await self._look_up(estimate, notes, request, events)
        return _propose(read_plan(reply, request.assignment.limits), notes, request, events)

    def give_up(self, problem: str, notes: PlannerNotes, events: StepEvents) -> Decision[PlannerNotes]:
        """End the run: only the model can write a plan."""
        assert notes.request is not None
        failed = RunFailed(**answering(notes.request, "planner"), reason="model_failed", detail=problem)
        ended = _end(notes, failed, events.cause)
        return Decision(ended.notes, ended.decided)

    def _open(self, request: EngineeringRequested, events: StepEvents) -> Reaction[PlannerNotes]:
        notes = PlannerNotes(request=request)
        problem = self._model_problem(request.model, priced=request.budget.max_cost_usd is not None)
        if problem is not None:
            failed = RunFailed(**answering(request, "planner"), reason="model_failed", detail=problem)
            return _end(notes, failed, request)
        return Reaction(notes, decided=(EnvironmentRequested(**events.next(), assignment=request.assignment),))

    def _react(
        self, event: Event, notes: PlannerNotes, request: EngineeringRequested, events: StepEvents
    ) -> Reaction[PlannerNotes]:
        match event:
            case WorldChecked(environment=environment):
                notes = notes.model_copy(update={"environment": environment})
                return Reaction(notes, decided=(SkillsRequested(**events.next()),))
            case SkillsOffered(skills=skills) if notes.environment is not None:
                messages = first_messages(self._prompts, request, notes.environment, skills)
                return _ask(notes.model_copy(update={"skills": skills}), request, *messages)
            case PlanRejected() | RefusalUpheld():
                return self._plan_again(event, notes, request)
            case ReplyRejected():
                return _ask(notes, request, user_message(rejection_text(event)))
            case DesignApproved():
                return _request_film(event, notes, request, events)
            case _:
                return Reaction(notes)

    async def _act(
        self, reply: Message, notes: PlannerNotes, request: EngineeringRequested, events: StepEvents
    ) -> Decision[PlannerNotes]:
        """Carry out the first of the reply's calls."""
        arguments = read_calls(reply, notes, may_end=bool(notes.proof))
        notes = notes.begin_calls(reply)
        match arguments:
            case NoOtherPlan(why=why):
                return _end_refused(notes, request, events, why)
            case ProposePlan():
                return _propose(planned_work(arguments, request.assignment.limits), notes, request, events)
            case CatalogSearch() | EstimatePrice() | ViewDocument():
                return await self._look_up(arguments, notes, request, events)
            case _:
                raise AssertionError(f"the planner has no tool {type(arguments).__name__}")

    async def _look_up(
        self, lookup: Lookup, notes: PlannerNotes, request: EngineeringRequested, events: StepEvents
    ) -> Decision[PlannerNotes]:
        notes, event = await look_up(lookup, notes, request, self._workspace, events)
        return Decision(notes, (event,))

    async def _answer_lookup(
        self, event: LookedUp, notes: PlannerNotes, request: EngineeringRequested, events: StepEvents
    ) -> Reaction[PlannerNotes]:
        """Answer a lookup, and make the next one of the same reply; after the last, or a failure, ask the model."""
        if notes.open_call is None and not isinstance(event, ToolAnswered):
            return Reaction(notes)
        has_failed = event.has_failed if isinstance(event, ToolAnswered) else isinstance(event, CatalogSearchFailed)
        notes, answer = notes.answer(lookup_markdown(event, notes.searches))
        if notes.waiting_calls and not has_failed:
            lookup = lookup_of(notes.waiting_calls[0])
            notes, decided = await look_up(lookup, notes.begin_next_call(), request, self._workspace, events)
            return Reaction(notes, (answer,), decided=(decided,))
        notes, others = notes.end_calls("failed")
        return _ask(notes, request, answer, *others)

    def _plan_again(
        self, event: PlanRejected | RefusalUpheld, notes: PlannerNotes, request: EngineeringRequested
    ) -> Reaction[PlannerNotes]:
        rejections = notes.rejections + 1
        was_refused = isinstance(event, RefusalUpheld)
        proof = one_line(event.proof_md, _PROOF_CHARS) if isinstance(event, RefusalUpheld) else notes.proof
        notes = notes.model_copy(update={"rejections": rejections, "proof": proof})
        if rejections > request.budget.max_rejections:
            reason, how = ("refused", "proved impossible") if was_refused else ("plan_rejected", "rejected")
            detail = f"plans failed {rejections} times, the last was {how}; its review: {event.review_md}"
            detail = f"{proof.rstrip('.')}. The {detail}" if was_refused and proof else detail
            return _end(notes, RunFailed(**answering(request, "planner"), reason=reason, detail=detail), event)
        prompt = self._prompts.render("refused" if was_refused else "rejected", review=event.review_md.strip())
        notes, message = notes.answer(prompt)
        return _ask(notes, request, message)


def _ask(notes: PlannerNotes, request: EngineeringRequested, *messages: Message) -> Reaction[PlannerNotes]:
    """Call the model; after a refusal that was upheld it may also end the run."""
    tools = TOOLS_AFTER_A_REFUSAL if notes.proof else PLANNER_TOOLS
    return Reaction(notes, messages, request.model, tools=tools)


def _propose(
    plan: PlannedWork, notes: PlannerNotes, request: EngineeringRequested, events: StepEvents
) -> Decision[PlannerNotes]:
    """Propose a plan, which is the workspace's from then on."""
    return Decision(notes.model_copy(update={"proposed": plan}), (_proposal(plan, notes, request, events),))


def _proposal(
    plan: PlannedWork, notes: PlannerNotes, request: EngineeringRequested, events: StepEvents
) -> PlanProposed:
    assert notes.environment is not None, "a plan follows the check of its world"
    return PlanProposed(
        **events.next(),
        assignment=request.assignment,
        budget=request.budget,
        model=request.model,
        executor=request.executor,
        continues=request.continues,
        environment=notes.environment,
        plan_md=plan.plan_md,
        todo_md=plan.todo_md,
    )


def _end_refused(
    notes: PlannerNotes, request: EngineeringRequested, events: StepEvents, why: str
) -> Decision[PlannerNotes]:
    """End the run with the engineer's proof: after it the planner has no other idea."""
    detail = f"{notes.proof.rstrip('.')}. The planner has no other plan: {why}"
    ended = _end(notes, RunFailed(**answering(request, "planner"), reason="refused", detail=detail), events.cause)
    return Decision(ended.notes, ended.decided)


def _request_film(
    approved: DesignApproved, notes: PlannerNotes, request: EngineeringRequested, events: StepEvents
) -> Reaction[PlannerNotes]:
    """Request the film of the approved design; without proof, scene or a wish for a film the run ends at once."""
    if approved.delivery.scene is None or unproven_because(approved) is not None:
        return _end(notes, end_of_approved(request, approved, "the delivery names no scene"), approved)
    if not request.is_filmed:
        return _end(notes, end_of_approved(request, approved, "none was requested"), approved)
    digest = approved.result.trajectory_digest
    film = FilmRequested(**events.next(), scene=approved.delivery.scene, trajectory_digest=digest)
    return Reaction(notes.model_copy(update={"approved": approved}), decided=(film,))


def _end_with_film(
    event: Event, notes: PlannerNotes, request: EngineeringRequested, approved: DesignApproved
) -> Reaction[PlannerNotes]:
    """End the run when the film is made or has failed; the run succeeds either way."""
    match event:
        case FilmCompleted(media=media):
            return _end(notes, end_of_approved(request, approved, media), event)
        case FilmFailed(reason=reason, detail=detail):
            unfilmed = f"it could not be filmed ({reason}): {detail}"
            return _end(notes, end_of_approved(request, approved, unfilmed), event)
        case _:
            return Reaction(notes)


def _failure(event: Event, request: EngineeringRequested) -> RunFailed | None:
    """Return the end of the run if this event fails it."""
    match event:
        case EnvironmentRefused() | WorldRefused():
            reason, detail = "benchmark_invalid", f"{event.reason}: {event.detail}"
        case SessionFailed():
            reason, detail = "session_failed", f"{event.role} got no kernel ({event.reason}): {event.detail}"
        case WorkAbandoned():
            reason, detail = event.reason, event.detail
        case _:
            return None
    return RunFailed(**answering(request, "planner"), reason=reason, detail=detail)


def _end(notes: PlannerNotes, end: End, cause: Event) -> Reaction[PlannerNotes]:
    return Reaction(notes.model_copy(update={"ended": True}), decided=(caused_by(cause, end),))
