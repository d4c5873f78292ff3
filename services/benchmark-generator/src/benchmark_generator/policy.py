"""Policy of the benchmark-generator: a plan and its review, files and their certification, a review, publication."""

from collections.abc import Sequence
from typing import Protocol

from agent.loop.role import Decision, Prompts, Reaction, StepEvents, rejection_text
from agent.loop.tool_calls import read_arguments
from agent.model.messages import user_message
from artifacts.port import ArtifactStore
from chassis.bus import Bus
from contracts.envelope import Event, Role
from contracts.events.benchmark import (
    BenchmarkPlanApproved,
    BenchmarkPlanProposed,
    BenchmarkPlanRejected,
    BenchmarkPublished,
    BenchmarkRequested,
    DraftApproved,
    DraftCertified,
    DraftRefused,
    DraftRejected,
    GenerationFailed,
)
from contracts.events.conversation import ReplyRejected, ToolAnswered
from contracts.events.dead_letters import WorkAbandoned
from contracts.models.artifact import ArtifactRef
from contracts.models.conversation import Message
from pydantic import BaseModel

from benchmark_generator.actions import Actions
from benchmark_generator.drafts import digest_of
from benchmark_generator.messages import findings_markdown, first_messages
from benchmark_generator.notes import GeneratorNotes
from benchmark_generator.publication import Publications
from benchmark_generator.replies import (
    FILE_TOOLS,
    PLAN_TOOLS,
    SubmitDraft,
    action_of,
    read_actions,
    read_files,
    read_plan,
)

DETAIL_CHARS = 2_000
"""Of the last review or finding, in the reason of a failure."""


class ModelProblem(Protocol):
    """Checks models; see `RoleModel.problem`."""

    def __call__(self, model: str, /) -> str | None:
        """Return why a model cannot be used, or None."""
        ...


class LostDraftError(Exception):
    """A draft is approved that the log does not have: it has a gap."""


class BenchmarkGenerator:
    """Invents one benchmark in a run, and is the only role that ends the run, besides its limits."""

    role: Role = "benchmark-generator"
    tools: Sequence[type[BaseModel]] = (*PLAN_TOOLS, *FILE_TOOLS)
    notes_class: type[GeneratorNotes] = GeneratorNotes

    def __init__(
        self, model_problem: ModelProblem, bus: Bus, publications: Publications, artifacts: ArtifactStore
    ) -> None:
        self._model_problem = model_problem
        self._bus = bus
        self._publications = publications
        self._actions = Actions(publications, artifacts)
        self._prompts = Prompts("benchmark_generator")
        self.prompt_digest = self._prompts.digest

    async def on_event(self, event: Event, notes: GeneratorNotes, events: StepEvents) -> Reaction[GeneratorNotes]:
        """React to an event; after the end nothing is decided."""
        if isinstance(event, BenchmarkRequested):
            return await self._open(event)
        request = notes.request
        if request is None or notes.ended:
            return Reaction(notes)
        match event:
            case ToolAnswered():
                return await self._answer(event, notes, request, events)
            case DraftApproved():
                return await self._publish(notes, request)
            case ReplyRejected():
                return self._ask(notes, request, user_message(rejection_text(event)))
            case _:
                return self._take_verdict(event, notes, request)

    async def on_reply(self, reply: Message, notes: GeneratorNotes, events: StepEvents) -> Decision[GeneratorNotes]:
        """Propose the plan; once it is approved, write files and submit them."""
        request = notes.request
        assert request is not None
        if not notes.is_planned:
            action = read_plan(reply)
            if isinstance(action, str):
                return _propose(action, notes.begin_calls(reply), request, events)
        elif reply.tool_calls:
            action = read_actions(reply)[0]
        else:
            action = SubmitDraft()
            notes = notes.model_copy(update={"files": read_files(reply, notes.files)})
        notes = notes.begin_calls(reply)
        notes, decided = await self._actions.carry_out(action, notes, request, events)
        return Decision(notes, (decided,))

    def give_up(self, problem: str, notes: GeneratorNotes, events: StepEvents) -> Decision[GeneratorNotes]:  # noqa: ARG002 - an outcome has its own id
        """End the run: only the model can write a benchmark."""
        assert notes.request is not None
        ended = _end(notes, _failed(notes.request, "model_failed", problem))
        return Decision(ended.notes, ended.decided)

    async def _open(self, request: BenchmarkRequested) -> Reaction[GeneratorNotes]:
        notes = GeneratorNotes(request=request)
        problem = self._model_problem(request.model)
        if problem is not None:
            return _end(notes, _failed(request, "model_failed", problem))
        published = await self._publications.newest()
        return self._ask(notes, request, *first_messages(self._prompts, request, published))

    def _take_verdict(
        self, event: Event, notes: GeneratorNotes, request: BenchmarkRequested
    ) -> Reaction[GeneratorNotes]:
        match event:
            case BenchmarkPlanApproved():
                notes = notes.model_copy(update={"is_planned": True})
                return self._prompt(notes, request, "approved", event.review_md)
            case BenchmarkPlanRejected():
                return self._plan_again(event, notes, request)
            case DraftRefused():
                return self._draft_again(notes, request, "refused_draft", findings_markdown(event.findings))
            case DraftRejected():
                return self._draft_again(notes, request, "rejected_draft", event.review_md)
            case WorkAbandoned():
                return _end(notes, _failed(request, "model_failed", f"the critic gave up: {event.detail}"))
            case _:
                return Reaction(notes)

    def _ask(self, notes: GeneratorNotes, request: BenchmarkRequested, *messages: Message) -> Reaction[GeneratorNotes]:
        """Call the model, unless it has been called as often as the brief permits."""
        if notes.calls_made >= request.brief.max_steps:
            detail = f"the model was called {notes.calls_made} times without a published benchmark; allow more steps"
            return _end(notes, _failed(request, "steps_exhausted", detail))
        notes = notes.model_copy(update={"calls_made": notes.calls_made + 1})
        tools = FILE_TOOLS if notes.is_planned else PLAN_TOOLS
        return Reaction(notes, messages, request.model, tools=tools)

    def _prompt(
        self, notes: GeneratorNotes, request: BenchmarkRequested, template: str, text: str
    ) -> Reaction[GeneratorNotes]:
        """Answer the open call, and ask for what the template says."""
        left = request.brief.max_drafts - notes.drafts
        notes, message = notes.answer(self._prompts.render(template, text=text.strip(), drafts_left=left))
        notes, others = notes.end_calls("was not accepted")
        return self._ask(notes, request, message, *others)

    def _plan_again(
        self, event: BenchmarkPlanRejected, notes: GeneratorNotes, request: BenchmarkRequested
    ) -> Reaction[GeneratorNotes]:
        if notes.plans >= request.brief.max_plans:
            detail = f"{notes.plans} plans were rejected; the last review: {event.review_md[:DETAIL_CHARS]}"
            return _end(notes, _failed(request, "plan_rejected", detail))
        return self._prompt(notes, request, "rejected_plan", event.review_md)

    def _draft_again(
        self, notes: GeneratorNotes, request: BenchmarkRequested, template: str, text: str
    ) -> Reaction[GeneratorNotes]:
        if notes.drafts >= request.brief.max_drafts:
            detail = f"{notes.drafts} drafts were not accepted; the last: {text[:DETAIL_CHARS]}"
            return _end(notes, _failed(request, "drafts_rejected", detail))
        return self._prompt(notes, request, template, text)

    async def _answer(
        self, event: ToolAnswered, notes: GeneratorNotes, request: BenchmarkRequested, events: StepEvents
    ) -> Reaction[GeneratorNotes]:
        """Answer an action, and carry out the next one of the same reply; after the last, or a failure, ask."""
        if not notes.is_planned and notes.plans >= request.brief.max_plans:
            return _end(notes, _failed(request, "refused", f"the author gave its plan up: {event.arguments_json}"))
        if event.tool == "submit_for_review":
            return self._prompt(notes, request, "not_submitted", event.answer_md)
        notes, answer = notes.answer(event.answer_md)
        if notes.waiting_calls and not event.has_failed:
            action = action_of(read_arguments(notes.waiting_calls[0], FILE_TOOLS))
            notes, decided = await self._actions.carry_out(action, notes.begin_next_call(), request, events)
            return Reaction(notes, (answer,), decided=(decided,))
        notes, others = notes.end_calls("failed")
        return self._ask(notes, request, answer, *others)

    async def _publish(self, notes: GeneratorNotes, request: BenchmarkRequested) -> Reaction[GeneratorNotes]:
        """Publish the approved draft; if another run has published the same meanwhile, ask for another draft."""
        certified = await self._bus.latest(DraftCertified, request.run_id)
        if certified is None:
            raise LostDraftError(f"run {request.run_id} has an approved draft, but no DraftCertified")
        archive = await self._publications.publish(certified.draft, request, has_motion=certified.has_motion)
        if isinstance(archive, str):
            return self._draft_again(notes, request, "rejected_draft", archive)
        return _end(notes, _published(request, certified, archive, notes))


def _propose(
    plan_md: str, notes: GeneratorNotes, request: BenchmarkRequested, events: StepEvents
) -> Decision[GeneratorNotes]:
    notes = notes.model_copy(update={"plan_md": plan_md, "plans": notes.plans + 1})
    fields = {"brief": request.brief, "model": request.model, "plan_md": plan_md}
    return Decision(notes, (events.next(BenchmarkPlanProposed, **fields),))


def _published(
    request: BenchmarkRequested, certified: DraftCertified, archive: ArtifactRef, notes: GeneratorNotes
) -> BenchmarkPublished:
    return BenchmarkPublished.answering(
        request,
        "benchmark-generator",
        name=certified.draft.name,
        title=certified.draft.title,
        level=request.brief.level,
        files=archive,
        digest=digest_of(certified.draft),
        has_motion=certified.has_motion,
        worlds=certified.worlds,
        drafts=max(notes.drafts, 1),
        plan_md=certified.plan_md,
    )


def _failed(request: BenchmarkRequested, reason: str, detail: str) -> GenerationFailed:
    return GenerationFailed.answering(request, "benchmark-generator", reason=reason, detail=detail)


def _end(notes: GeneratorNotes, end: BenchmarkPublished | GenerationFailed) -> Reaction[GeneratorNotes]:
    return Reaction(notes.model_copy(update={"ended": True}), decided=(end,))
