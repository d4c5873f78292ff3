"""Policy of the benchmark-generator: a plan and its review, work in a kernel, certification, a review, publication."""

from collections.abc import Sequence
from typing import Protocol

from agent.journal.entries import fenced
from agent.kernel_session.actions import Action, read_call
from agent.kernel_session.experiments import close_experiment, summarize_experiment, with_cell, with_verdict
from agent.kernel_session.workspace_role import WorkspaceRole
from agent.loop.role import Decision, Prompts, Reaction, StepEvents, rejection_text
from agent.loop.tool_calls import name_of
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
from contracts.models.conversation import Message, ToolCall
from contracts.models.submission import Refusal
from documents.benchmarks.certification import draft_findings_markdown
from documents.shipped_skills import shipped_files
from pydantic import BaseModel

from benchmark_generator.drafts import digest_of, draft_of, faults_markdown
from benchmark_generator.messages import first_messages, observation, todo_md, workspace_message
from benchmark_generator.notes import GeneratorNotes
from benchmark_generator.publication import Publications
from benchmark_generator.replies import PLAN_TOOLS, WORK_TOOLS, ViewSkill, read_plan, read_view, read_work


def view_skill(action: ViewSkill, events: StepEvents) -> ToolAnswered:
    """Return a file of a skill, or which files there are."""
    files = {name: data.decode() for name, data in shipped_files("benchmark-generator").items()}
    path = action.path.strip().removeprefix("./")
    is_known = path in files
    answer = f"`{path}`:\n\n{fenced(files[path])}" if is_known else _unknown(path, files)
    return ToolAnswered(
        **events.next(),
        tool=name_of(ViewSkill),
        arguments_json=action.model_dump_json(),
        answer_md=answer,
        has_failed=not is_known,
    )


def _unknown(path: str, files: dict[str, str]) -> str:
    return f"There is no file `{path}` before the plan is approved; there are {', '.join(files)}."


DETAIL_CHARS = 2_000
"""Of the last review or finding, in the reason of a failure."""


class ModelProblem(Protocol):
    """Checks models; see `RoleModel.problem`."""

    def __call__(self, model: str, /) -> str | None:
        """Return why a model cannot be used, or None."""
        ...


class LostDraftError(Exception):
    """A draft is approved that the log does not have: it has a gap."""


class BenchmarkGenerator(WorkspaceRole[GeneratorNotes]):
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
            return await self._open(event, events)
        if notes.request is None or notes.ended:
            return Reaction(notes)
        match event:
            case CellCompleted():
                return await self._observe(event, with_cell(notes, event), events)
            case FileWritten() | FileViewed() | FileRefused():
                return self.answer_file_call(event, notes, events)
            case DraftApproved():
                return await self._publish(notes, events)
            case _:
                return self._react(event, notes, events)

    async def on_reply(self, reply: Message, notes: GeneratorNotes, events: StepEvents) -> Decision[GeneratorNotes]:
        """Propose the plan; once it is approved, act in the kernel."""
        if notes.is_planned:
            first, *_ = read_work(reply)
            return self.act(reply, first, notes, events)
        plan = read_plan(reply)
        notes = notes.begin_calls(reply)
        if isinstance(plan, str):
            return _propose(plan, notes, events)
        return Decision(notes, (view_skill(plan, events),))

    def give_up(self, problem: str, notes: GeneratorNotes, events: StepEvents) -> Decision[GeneratorNotes]:  # noqa: ARG002 - an outcome has its own id
        """End the run: only the model can write a benchmark."""
        ended = _end(notes, _failed(notes, "model_failed", problem))
        return Decision(ended.notes, ended.decided)

    async def _open(self, request: BenchmarkRequested, events: StepEvents) -> Reaction[GeneratorNotes]:
        notes = GeneratorNotes(request=request)
        problem = self._model_problem(request.model)
        if problem is not None:
            return _end(notes, _failed(notes, "model_failed", problem))
        published = await self._publications.newest()
        return self.ask(notes, events, *first_messages(self._prompts, request, published))

    def _react(self, event: Event, notes: GeneratorNotes, events: StepEvents) -> Reaction[GeneratorNotes]:
        match event:
            case ToolAnswered():
                return self._answer_view(event, notes, events)
            case ReplyRejected():
                return self.ask(notes, events, user_message(rejection_text(event)))
            case BenchmarkPlanApproved():
                return self._request_session(event, notes, events)
            case SessionOpened():
                return self.ask(notes, events, user_message(workspace_message(self._prompts, event)))
            case _:
                return self._take_verdict(event, notes, events)

    def _take_verdict(self, event: Event, notes: GeneratorNotes, events: StepEvents) -> Reaction[GeneratorNotes]:
        match event:
            case BenchmarkPlanRejected():
                return self._plan_again(event, notes, events)
            case DraftRefused():
                return self._draft_again(notes, events, "refused_draft", draft_findings_markdown(event.findings))
            case DraftRejected():
                return self._draft_again(notes, events, "rejected_draft", event.review_md)
            case SessionFailed():
                return _end(notes, _failed(notes, "session_failed", event.detail))
            case WorkAbandoned():
                return _end(notes, _failed(notes, "model_failed", f"the critic gave up: {event.detail}"))
            case _:
                return Reaction(notes)

    def _answer_view(self, event: ToolAnswered, notes: GeneratorNotes, events: StepEvents) -> Reaction[GeneratorNotes]:
        """Answer a view, and show the next file of the same reply."""
        notes, answer = notes.answer(event.answer_md)
        if event.has_failed or not notes.waiting_calls:
            return self.end_calls(notes, events, answer, "failed")
        view = read_view(notes.waiting_calls[0])
        return Reaction(notes.begin_next_call(), (answer,), decided=(view_skill(view, events),))

    def _request_session(
        self, event: BenchmarkPlanApproved, notes: GeneratorNotes, events: StepEvents
    ) -> Reaction[GeneratorNotes]:
        """Request a kernel for the approved plan, or with a second plan the open one again."""
        notes = notes.model_copy(update={"is_planned": True})
        notes, message = notes.answer(self._prompts.render("approved", text=event.review_md.strip()))
        notes, others = notes.end_calls("proposed the plan")
        session = BenchmarkSessionRequested(
            **events.next(), brief=notes.opening.brief, plan_md=notes.plan_md, todo_md=todo_md(self._prompts)
        )
        return Reaction(notes, (message, *others), decided=(session,))

    async def _observe(
        self, event: CellCompleted, notes: GeneratorNotes, events: StepEvents
    ) -> Reaction[GeneratorNotes]:
        if event.files is not None:
            return await self._submit(event.files, notes, events)
        if isinstance(event.ending, Refusal):
            return self._refuse_plan(event.ending.proof, notes, events)
        notes, message = observation(self._prompts, event, notes)
        return self.after_cell(event, notes, events, message)

    def read_call(self, call: ToolCall, notes: GeneratorNotes) -> Action:  # noqa: ARG002 - the tools are always the same
        """Return the action of a call beside others; raise `MalformedReplyError`."""
        return read_call(call, WORK_TOOLS)

    async def _submit(
        self, files: BenchmarkFiles, notes: GeneratorNotes, events: StepEvents
    ) -> Reaction[GeneratorNotes]:
        """Draft the files that the host has read; what is wrong with them at first sight costs no draft."""
        request = notes.opening
        try:
            draft = await draft_of(files, request.brief, self._artifacts)
        except BenchmarkError as error:
            return self._prompt(notes, events, "not_submitted", faults_markdown(error))
        if conflict := await self._publications.conflict(draft, request.run_id):
            return self._prompt(notes, events, "not_submitted", f"- {conflict}")
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

    def _refuse_plan(self, reason: str, notes: GeneratorNotes, events: StepEvents) -> Reaction[GeneratorNotes]:
        """Ask for another plan, as often as the brief permits."""
        if notes.plans >= notes.opening.brief.max_plans:
            detail = f"the author gave its plan up: {reason[:DETAIL_CHARS]}"
            return _end(notes, _failed(notes, "refused", detail))
        return self._prompt(notes.model_copy(update={"is_planned": False}), events, "refused_plan", reason)

    def ask(self, notes: GeneratorNotes, events: StepEvents, *messages: Message) -> Reaction[GeneratorNotes]:  # noqa: ARG002 - an end has its own id
        """Call the model, unless it has been called as often as the brief permits."""
        request = notes.opening
        if notes.calls_made >= request.brief.max_steps:
            detail = f"the model was called {notes.calls_made} times without a published benchmark; allow more steps"
            return _end(notes, _failed(notes, "steps_exhausted", detail))
        notes = notes.model_copy(update={"calls_made": notes.calls_made + 1})
        tools = WORK_TOOLS if notes.is_planned else PLAN_TOOLS
        return Reaction(notes, messages, request.model, tools=tools)

    def _prompt(self, notes: GeneratorNotes, events: StepEvents, template: str, text: str) -> Reaction[GeneratorNotes]:
        """Answer the open call, and ask for what the template says."""
        left = notes.opening.brief.max_drafts - notes.drafts
        summary = "" if notes.experiment is None else summarize_experiment(notes)
        notes, message = notes.answer(self._prompts.render(template, text=text.strip(), drafts_left=left), summary)
        return self.end_calls(notes, events, message, "was not accepted")

    def _plan_again(
        self, event: BenchmarkPlanRejected, notes: GeneratorNotes, events: StepEvents
    ) -> Reaction[GeneratorNotes]:
        if notes.plans >= notes.opening.brief.max_plans:
            detail = f"{notes.plans} plans were rejected; the last review: {event.review_md[:DETAIL_CHARS]}"
            return _end(notes, _failed(notes, "plan_rejected", detail))
        return self._prompt(notes, events, "rejected_plan", event.review_md)

    def _draft_again(
        self, notes: GeneratorNotes, events: StepEvents, template: str, text: str
    ) -> Reaction[GeneratorNotes]:
        if notes.drafts >= notes.opening.brief.max_drafts:
            detail = f"{notes.drafts} drafts were not accepted; the last: {text[:DETAIL_CHARS]}"
            return _end(notes, _failed(notes, "drafts_rejected", detail))
        return self._prompt(with_verdict(notes, text), events, template, text)

    async def _publish(self, notes: GeneratorNotes, events: StepEvents) -> Reaction[GeneratorNotes]:
        """Publish the approved draft; if another run has published the same meanwhile, ask for another draft."""
        request = notes.opening
        certified = await self._bus.latest(DraftCertified, request.run_id)
        if certified is None:
            raise LostDraftError(f"run {request.run_id} has an approved draft, but no DraftCertified")
        archive = await self._publications.publish(certified.draft, request, has_motion=certified.has_motion)
        if isinstance(archive, str):
            return self._draft_again(notes, events, "rejected_draft", archive)
        return _end(notes, _published(notes, certified, archive))


def _propose(plan_md: str, notes: GeneratorNotes, events: StepEvents) -> Decision[GeneratorNotes]:
    request = notes.opening
    notes = notes.model_copy(update={"plan_md": plan_md, "plans": notes.plans + 1})
    proposed = BenchmarkPlanProposed(**events.next(), brief=request.brief, model=request.model, plan_md=plan_md)
    return Decision(notes, (proposed,))


def _published(notes: GeneratorNotes, certified: DraftCertified, archive: ArtifactRef) -> BenchmarkPublished:
    return BenchmarkPublished(
        **answering(notes.opening, "benchmark-generator"),
        name=certified.draft.name,
        title=certified.draft.title,
        level=notes.opening.brief.level,
        files=archive,
        digest=digest_of(certified.draft),
        has_motion=certified.has_motion,
        worlds=certified.worlds,
        drafts=max(notes.drafts, 1),
        plan_md=certified.plan_md,
    )


def _failed(notes: GeneratorNotes, reason: GenerationFailureReason, detail: str) -> GenerationFailed:
    return GenerationFailed(**answering(notes.opening, "benchmark-generator"), reason=reason, detail=detail)


def _end(notes: GeneratorNotes, end: BenchmarkPublished | GenerationFailed) -> Reaction[GeneratorNotes]:
    return Reaction(notes.model_copy(update={"ended": True}), decided=(end,))
