"""Policy of the benchmark-generator: a plan and its review, work in a kernel, certification, a review, publication."""

from collections.abc import Sequence
from typing import Protocol

from agent.kernel_session.actions import Action, CallAction, read_call, request_for
from agent.kernel_session.experiments import (
    add_journal_entry,
    close_experiment,
    summarize_experiment,
    with_cell,
    with_file,
    with_verdict,
)
from agent.kernel_session.messages import file_result
from agent.loop.role import Decision, Prompts, Reaction, StepEvents, rejection_text
from agent.model.messages import user_message
from artifacts.port import ArtifactStore
from benchmarks.loader import BenchmarkError
from chassis.bus import Bus
from contracts.envelope import Event, Role, answering
from contracts.events.benchmark import (
    BenchmarkDrafted,
    BenchmarkPlanApproved,
    BenchmarkPlanProposed,
    BenchmarkPlanRejected,
    BenchmarkPublished,
    BenchmarkRequested,
    BenchmarkSessionRequested,
    DraftApproved,
    DraftCertified,
    DraftRefused,
    DraftRejected,
    GenerationFailed,
    GenerationFailureReason,
)
from contracts.events.conversation import JournalEntryAdded, ReplyRejected, ToolAnswered
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.session import (
    CellCompleted,
    FileRefused,
    FileViewed,
    FileWritten,
    SessionFailed,
    SessionOpened,
)
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import BenchmarkFiles
from contracts.models.conversation import Message
from contracts.models.submission import Refusal
from documents.benchmarks.certification import draft_findings_markdown
from pydantic import BaseModel

from benchmark_generator.drafts import digest_of, draft_of, faults_markdown
from benchmark_generator.messages import first_messages, observation, todo_md, workspace_message
from benchmark_generator.notes import GeneratorNotes
from benchmark_generator.publication import Publications
from benchmark_generator.replies import PLAN_TOOLS, WORK_TOOLS, read_plan, read_view, read_work
from benchmark_generator.skill_views import view_skill

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
    tools: Sequence[type[BaseModel]] = (*PLAN_TOOLS, *WORK_TOOLS)
    notes_class: type[GeneratorNotes] = GeneratorNotes

    def __init__(
        self, model_problem: ModelProblem, bus: Bus, publications: Publications, artifacts: ArtifactStore
    ) -> None:
        self._model_problem = model_problem
        self._bus = bus
        self._publications = publications
        self._artifacts = artifacts
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
            case CellCompleted():
                return await self._observe(event, with_cell(notes, event), request, events)
            case FileWritten() | FileViewed() | FileRefused():
                return self._answer_file_call(event, notes, request, events)
            case DraftApproved():
                return await self._publish(notes, request)
            case _:
                return self._react(event, notes, request, events)

    async def on_reply(self, reply: Message, notes: GeneratorNotes, events: StepEvents) -> Decision[GeneratorNotes]:
        """Propose the plan; once it is approved, act in the kernel."""
        request = notes.request
        assert request is not None
        if notes.is_planned:
            first, *_ = read_work(reply)
            notes, entries = add_journal_entry(notes, first, events)
            notes, requested = _request(notes.begin_calls(reply), first, events)
            return Decision(notes, (*entries, requested))
        plan = read_plan(reply)
        notes = notes.begin_calls(reply)
        if isinstance(plan, str):
            return _propose(plan, notes, request, events)
        return Decision(notes, (view_skill(plan, events),))

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

    def _react(
        self, event: Event, notes: GeneratorNotes, request: BenchmarkRequested, events: StepEvents
    ) -> Reaction[GeneratorNotes]:
        match event:
            case ToolAnswered():
                return self._answer_view(event, notes, request, events)
            case ReplyRejected():
                return self._ask(notes, request, user_message(rejection_text(event)))
            case BenchmarkPlanApproved():
                return self._request_session(event, notes, request, events)
            case SessionOpened():
                return self._ask(notes, request, user_message(workspace_message(self._prompts, event)))
            case _:
                return self._take_verdict(event, notes, request)

    def _take_verdict(
        self, event: Event, notes: GeneratorNotes, request: BenchmarkRequested
    ) -> Reaction[GeneratorNotes]:
        match event:
            case BenchmarkPlanRejected():
                return self._plan_again(event, notes, request)
            case DraftRefused():
                return self._draft_again(notes, request, "refused_draft", draft_findings_markdown(event.findings))
            case DraftRejected():
                return self._draft_again(notes, request, "rejected_draft", event.review_md)
            case SessionFailed():
                return _end(notes, _failed(request, "session_failed", event.detail))
            case WorkAbandoned():
                return _end(notes, _failed(request, "model_failed", f"the critic gave up: {event.detail}"))
            case _:
                return Reaction(notes)

    def _answer_view(
        self, event: ToolAnswered, notes: GeneratorNotes, request: BenchmarkRequested, events: StepEvents
    ) -> Reaction[GeneratorNotes]:
        """Answer a view, and show the next file of the same reply."""
        notes, answer = notes.answer(event.answer_md)
        if event.has_failed or not notes.waiting_calls:
            return self._end_calls(notes, request, answer, "failed")
        view = read_view(notes.waiting_calls[0])
        return Reaction(notes.begin_next_call(), (answer,), decided=(view_skill(view, events),))

    def _request_session(
        self, event: BenchmarkPlanApproved, notes: GeneratorNotes, request: BenchmarkRequested, events: StepEvents
    ) -> Reaction[GeneratorNotes]:
        """Request a kernel for the approved plan, or with a second plan the open one again."""
        notes = notes.model_copy(update={"is_planned": True})
        notes, message = notes.answer(self._prompts.render("approved", text=event.review_md.strip()))
        notes, others = notes.end_calls("proposed the plan")
        session = BenchmarkSessionRequested(
            **events.next(), brief=request.brief, plan_md=notes.plan_md, todo_md=todo_md(self._prompts)
        )
        return Reaction(notes, (message, *others), decided=(session,))

    async def _observe(
        self, event: CellCompleted, notes: GeneratorNotes, request: BenchmarkRequested, events: StepEvents
    ) -> Reaction[GeneratorNotes]:
        if event.files is not None:
            return await self._submit(event.files, notes, request, events)
        if isinstance(event.ending, Refusal):
            return self._refuse_plan(event.ending.proof, notes, request)
        notes, message = observation(self._prompts, event, notes)
        if event.observation.status != "ok":
            return self._end_calls(notes, request, message, "failed")
        return self._next_call(notes, request, events, message)

    def _answer_file_call(
        self,
        event: FileWritten | FileViewed | FileRefused,
        notes: GeneratorNotes,
        request: BenchmarkRequested,
        events: StepEvents,
    ) -> Reaction[GeneratorNotes]:
        if notes.open_call is None:
            return Reaction(notes)
        notes, message = with_file(notes, event).answer(file_result(event, notes.open_call.name))
        if isinstance(event, FileRefused):
            return self._end_calls(notes, request, message, "failed")
        return self._next_call(notes, request, events, message)

    def _next_call(
        self, notes: GeneratorNotes, request: BenchmarkRequested, events: StepEvents, answer: Message
    ) -> Reaction[GeneratorNotes]:
        """Request the reply's next action, without asking the model; after the last one ask it."""
        if not notes.waiting_calls:
            return self._end_calls(notes, request, answer)
        action = read_call(notes.waiting_calls[0], WORK_TOOLS)
        notes, entries = notes.begin_next_call(), ()
        if isinstance(action, CallAction):
            notes, entries = close_experiment(notes, events, next_step=action.cell.purpose)
        notes, requested = _request(notes, action, events)
        return Reaction(notes, (answer,), decided=(*entries, requested))

    def _end_calls(
        self, notes: GeneratorNotes, request: BenchmarkRequested, answer: Message, outcome: str = ""
    ) -> Reaction[GeneratorNotes]:
        notes, others = notes.end_calls(outcome)
        return self._ask(notes, request, answer, *others)

    async def _submit(
        self, files: BenchmarkFiles, notes: GeneratorNotes, request: BenchmarkRequested, events: StepEvents
    ) -> Reaction[GeneratorNotes]:
        """Draft the files that the host has read; what is wrong with them at first sight costs no draft."""
        try:
            draft = await draft_of(files, request.brief, self._artifacts)
        except BenchmarkError as error:
            return self._prompt(notes, request, "not_submitted", faults_markdown(error))
        if conflict := await self._publications.conflict(draft, request.run_id):
            return self._prompt(notes, request, "not_submitted", f"- {conflict}")
        entries: tuple[JournalEntryAdded, ...] = ()
        if notes.experiment is not None and notes.experiment.own_entries:
            notes, entries = close_experiment(notes, events)
        notes = notes.model_copy(update={"drafts": notes.drafts + 1})
        drafted = BenchmarkDrafted(
            **events.next(),
            brief=request.brief,
            model=request.model,
            plan_md=notes.plan_md,
            draft=draft,
            number=notes.drafts,
        )
        return Reaction(notes, decided=(*entries, drafted))

    def _refuse_plan(self, reason: str, notes: GeneratorNotes, request: BenchmarkRequested) -> Reaction[GeneratorNotes]:
        """Ask for another plan, as often as the brief permits."""
        if notes.plans >= request.brief.max_plans:
            detail = f"the author gave its plan up: {reason[:DETAIL_CHARS]}"
            return _end(notes, _failed(request, "refused", detail))
        return self._prompt(notes.model_copy(update={"is_planned": False}), request, "refused_plan", reason)

    def _ask(self, notes: GeneratorNotes, request: BenchmarkRequested, *messages: Message) -> Reaction[GeneratorNotes]:
        """Call the model, unless it has been called as often as the brief permits."""
        if notes.calls_made >= request.brief.max_steps:
            detail = f"the model was called {notes.calls_made} times without a published benchmark; allow more steps"
            return _end(notes, _failed(request, "steps_exhausted", detail))
        notes = notes.model_copy(update={"calls_made": notes.calls_made + 1})
        tools = WORK_TOOLS if notes.is_planned else PLAN_TOOLS
        return Reaction(notes, messages, request.model, tools=tools)

    def _prompt(
        self, notes: GeneratorNotes, request: BenchmarkRequested, template: str, text: str
    ) -> Reaction[GeneratorNotes]:
        """Answer the open call, and ask for what the template says."""
        left = request.brief.max_drafts - notes.drafts
        summary = "" if notes.experiment is None else summarize_experiment(notes)
        notes, message = notes.answer(self._prompts.render(template, text=text.strip(), drafts_left=left), summary)
        return self._end_calls(notes, request, message, "was not accepted")

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
        return self._prompt(with_verdict(notes, text), request, template, text)

    async def _publish(self, notes: GeneratorNotes, request: BenchmarkRequested) -> Reaction[GeneratorNotes]:
        """Publish the approved draft; if another run has published the same meanwhile, ask for another draft."""
        certified = await self._bus.latest(DraftCertified, request.run_id)
        if certified is None:
            raise LostDraftError(f"run {request.run_id} has an approved draft, but no DraftCertified")
        archive = await self._publications.publish(certified.draft, request, has_motion=certified.has_motion)
        if isinstance(archive, str):
            return self._draft_again(notes, request, "rejected_draft", archive)
        return _end(notes, _published(request, certified, archive, notes))


def _request(notes: GeneratorNotes, action: Action, events: StepEvents) -> tuple[GeneratorNotes, Event]:
    """Return the request that carries out an action, and the notes after it."""
    requested, update = request_for(action, notes.unwritten_entries, events)
    return notes.model_copy(update={**update, "unwritten_entries": ()}), requested


def _propose(
    plan_md: str, notes: GeneratorNotes, request: BenchmarkRequested, events: StepEvents
) -> Decision[GeneratorNotes]:
    notes = notes.model_copy(update={"plan_md": plan_md, "plans": notes.plans + 1})
    proposed = BenchmarkPlanProposed(**events.next(), brief=request.brief, model=request.model, plan_md=plan_md)
    return Decision(notes, (proposed,))


def _published(
    request: BenchmarkRequested, certified: DraftCertified, archive: ArtifactRef, notes: GeneratorNotes
) -> BenchmarkPublished:
    return BenchmarkPublished(
        **answering(request, "benchmark-generator"),
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


def _failed(request: BenchmarkRequested, reason: GenerationFailureReason, detail: str) -> GenerationFailed:
    return GenerationFailed(**answering(request, "benchmark-generator"), reason=reason, detail=detail)


def _end(notes: GeneratorNotes, end: BenchmarkPublished | GenerationFailed) -> Reaction[GeneratorNotes]:
    return Reaction(notes.model_copy(update={"ended": True}), decided=(end,))
