"""Policy of the engineer: one model call between an observation and the next action, until a design is approved."""

from collections.abc import Mapping, Sequence

from agent.journal.entries import one_line
from agent.kernel_session.actions import Action
from agent.kernel_session.experiments import close_experiment, summarize_experiment, with_cell, with_verdict
from agent.kernel_session.notes import SeenCell
from agent.kernel_session.workspace_role import WorkspaceRole
from agent.loop.role import Decision, Prompts, Reaction, StepEvents, rejection_text
from agent.model.messages import user_message
from contracts.envelope import Event, Role
from contracts.events.conversation import JournalEntryAdded, ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignInvalidated, DesignRejected, DesignSubmitted
from contracts.events.plan import Citation, PlanApproved, PlanRefused, RefusalDenied
from contracts.events.session import (
    CellCompleted,
    FileRefused,
    FileViewed,
    FileWritten,
    SessionOpened,
    SessionRequested,
)
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.benchmark import Executor as ExecutorName
from contracts.models.conversation import Message, ToolCall
from contracts.models.submission import Refusal, Submission
from contracts.skills import OfferedSkill
from documents.quote import findings_markdown
from documents.refusal import citations
from pydantic import BaseModel

from engineer.actions import Executor
from engineer.executors.code import CODE_TOOLS, CodeExecutor
from engineer.executors.single_pass import SinglePassExecutor
from engineer.executors.tool_calls import ToolCallExecutor
from engineer.messages import first_messages, new_plan_text, observe_cell, with_budget_notice
from engineer.notes import EngineerNotes


def look_up_citations(proof: str, notes: EngineerNotes) -> tuple[tuple[Citation, ...], tuple[str, ...]]:
    """Return the evidence that a proof cites, and its citations of nothing; the refusing cell itself does not count."""
    cells = notes.cells[:-1]
    simulations = [cell for cell in cells for _ in range(cell.simulations)]
    evidence: list[Citation] = []
    unknown: list[str] = []
    for kind, number in citations(proof):
        existing: Sequence[SeenCell] = cells if kind == "cell" else simulations
        if number > len(existing):
            unknown.append(f"[{kind} {number}]")
        else:
            cell = existing[number - 1]
            evidence.append(Citation(kind=kind, number=number, event_id=cell.event_id, told=cell.result))
    return tuple(evidence), tuple(unknown)


_PROOF_CHARS = 600

EXECUTORS: Mapping[ExecutorName, Executor] = {
    "code": CodeExecutor(),
    "tool_call": ToolCallExecutor(),
    "single_pass": SinglePassExecutor(),
}


class Engineer(WorkspaceRole[EngineerNotes]):
    """Acts in a kernel until a design is approved, or gives the work up."""

    role: Role = "engineer"
    tools: Sequence[type[BaseModel]] = CODE_TOOLS
    notes_class: type[EngineerNotes] = EngineerNotes

    def __init__(self) -> None:
        self._prompts = Prompts("engineer")
        self.prompt_digest = self._prompts.digest

    async def on_event(self, event: Event, notes: EngineerNotes, events: StepEvents) -> Reaction[EngineerNotes]:
        """React to an event; before a plan and after the end only a plan matters."""
        if isinstance(event, PlanApproved):
            return _take_plan(event, notes, events)
        if notes.plan is None or notes.finished:
            return Reaction(notes)
        if isinstance(event, SkillsOffered):
            request = _session_request(notes.plan, event.skills, events)
            return Reaction(notes.model_copy(update={"skills": event.skills}), decided=(request,))
        reaction = EXECUTORS[notes.plan.executor].react_without_model(event, notes, events)
        return self._react(event, notes, notes.plan, events) if reaction is None else reaction

    async def on_reply(self, reply: Message, notes: EngineerNotes, events: StepEvents) -> Decision[EngineerNotes]:
        """Request the reply's first action, and write what the last experiment taught into the journal."""
        assert notes.plan is not None
        first, *_ = EXECUTORS[notes.plan.executor].read(reply)
        return self.act(reply, first, notes, events)

    def give_up(self, problem: str, notes: EngineerNotes, events: StepEvents) -> Decision[EngineerNotes]:
        """Abandon the work: the planner ends the run."""
        abandoned = WorkAbandoned(**events.next(), reason="model_failed", detail=problem)
        return Decision(notes.model_copy(update={"finished": True}), (abandoned,))

    def _react(
        self, event: Event, notes: EngineerNotes, plan: PlanApproved, events: StepEvents
    ) -> Reaction[EngineerNotes]:
        match event:
            case SessionOpened():
                return self._open(event, notes, plan, events)
            case CellCompleted():
                return self._observe(event, with_cell(notes, event), plan, events)
            case FileWritten() | FileViewed() | FileRefused():
                return self.answer_file_call(event, notes, events)
            case DesignInvalidated() | DesignRejected() | RefusalDenied():
                return self._take_verdict(event, notes, plan, events)
            case ReplyRejected():
                notes = notes.model_copy(update={"rejected_replies": notes.rejected_replies + 1})
                return self.ask(notes, events, user_message(rejection_text(event)))
            case _:
                return Reaction(notes)

    def _open(
        self, opened: SessionOpened, notes: EngineerNotes, plan: PlanApproved, events: StepEvents
    ) -> Reaction[EngineerNotes]:
        """Begin the conversation, or continue it with a second plan, which answers the call that refused the first."""
        if notes.model_calls == 0:
            messages = first_messages(self._prompts, EXECUTORS[plan.executor], plan, notes, opened)
            return self.ask(notes, events, *messages)
        notes, message = notes.answer(new_plan_text(self._prompts, plan))
        return self.end_calls(notes, events, message, "refused the plan")

    def _observe(
        self, event: CellCompleted, notes: EngineerNotes, plan: PlanApproved, events: StepEvents
    ) -> Reaction[EngineerNotes]:
        match event.ending:
            case Submission():
                return _submit(event.ending, notes, plan, events)
            case Refusal(proof=proof):
                return self._refuse_plan(proof, notes, plan, events)
            case None:
                notes, message = observe_cell(self._prompts, event, notes)
                return self.after_cell(event, notes, events, message)

    def _refuse_plan(
        self, proof: str, notes: EngineerNotes, plan: PlanApproved, events: StepEvents
    ) -> Reaction[EngineerNotes]:
        """Pass the refusal on to the critic if everything that its proof cites has happened in this run."""
        evidence, unknown = look_up_citations(proof, notes)
        if unknown:
            cells, simulations = len(notes.cells) - 1, sum(cell.simulations for cell in notes.cells[:-1])
            problem = (
                f"The proof cites {', '.join(unknown)}, and the run has {cells} cells and {simulations} simulations "
                "before this one."
            )
        elif not evidence:
            problem = "The proof cites nothing that happened in this run."
        else:
            refused = PlanRefused(
                **events.next(),
                assignment=plan.assignment,
                environment=plan.environment,
                model=plan.model,
                plan_md=plan.plan_md,
                todo_md=plan.todo_md,
                proof_md=proof,
                evidence=evidence,
            )
            return Reaction(notes.model_copy(update={"proof": one_line(proof, _PROOF_CHARS)}), decided=(refused,))
        notes, message = notes.answer(self._prompts.render("unproven", problem=problem))
        return self.end_calls(notes, events, message, "failed")

    def _take_verdict(
        self,
        event: DesignInvalidated | DesignRejected | RefusalDenied,
        notes: EngineerNotes,
        plan: PlanApproved,
        events: StepEvents,
    ) -> Reaction[EngineerNotes]:
        """Show the model what was wrong. Only the critic's verdicts count as rejections."""
        match event:
            case DesignInvalidated():
                text = self._prompts.render("invalidated", findings=findings_markdown(event.findings))
                rules = ", ".join(sorted({finding.rule for finding in event.findings}))
                notes = with_verdict(notes, f"the design was not accepted: {rules}")
            case DesignRejected():
                text = self._prompts.render("rejected", review=event.review_md.strip())
                notes = with_verdict(notes, f"the critic rejected the design: {event.review_md.strip()}")
            case RefusalDenied():
                text = self._prompts.render("denied", review=event.review_md.strip())
                notes = with_verdict(notes, f"the critic denied the refusal: {event.review_md.strip()}")
        if not isinstance(event, DesignInvalidated):
            notes = notes.model_copy(update={"rejections": notes.rejections + 1})
            if notes.rejections > plan.budget.max_rejections:
                return _abandon_rejected(event, notes, events)
        notes, message = notes.answer(text, summarize_experiment(notes))
        ended = "refused the plan" if isinstance(event, RefusalDenied) else "submitted the design"
        return self.end_calls(notes, events, message, ended)

    def read_call(self, call: ToolCall, notes: EngineerNotes) -> Action:
        """Return the action of a call beside others; raise `MalformedReplyError`."""
        assert notes.plan is not None
        return EXECUTORS[notes.plan.executor].read_call(call)

    def ask(self, notes: EngineerNotes, events: StepEvents, *messages: Message) -> Reaction[EngineerNotes]:
        """Call the model; the last reply is announced, and after it the work is abandoned."""
        plan, left = notes.plan, notes.replies_left
        assert plan is not None
        if not left:
            spent = f"{notes.model_calls} model calls"
            detail = f"no approved design after {spent}; allow more steps or an easier benchmark"
            return _abandon(notes, WorkAbandoned(**events.next(), reason="steps_exhausted", detail=detail))
        executor = EXECUTORS[plan.executor]
        notes = notes.model_copy(update={"model_calls": notes.model_calls + 1})
        messages = with_budget_notice(self._prompts, executor, messages, left)
        return Reaction(notes, messages, plan.model, tools=executor.tools)


def _take_plan(plan: PlanApproved, notes: EngineerNotes, events: StepEvents) -> Reaction[EngineerNotes]:
    """Request skills; with a second plan request the open session again, which replaces the plan's files in it."""
    if notes.finished:
        return Reaction(notes)
    is_first = notes.plan is None
    request = SkillsRequested(**events.next()) if is_first else _session_request(plan, notes.skills, events)
    return Reaction(notes.model_copy(update={"plan": plan}), decided=(request,))


def _submit(
    submission: Submission, notes: EngineerNotes, plan: PlanApproved, events: StepEvents
) -> Reaction[EngineerNotes]:
    """Submit the design with what is noted up to now.

    The agent's own entries in the submitting cell are noted at once, so that the delivered journal says what they
    cover; so is a single pass, in which no reply follows. Otherwise the verdict comes first.
    """
    entries: tuple[JournalEntryAdded, ...] = ()
    if EXECUTORS[plan.executor].has_one_reply:
        notes, entries = close_experiment(notes, events, next_step="await the verdict")
    elif notes.experiment is not None and notes.experiment.own_entries:
        notes, entries = close_experiment(notes, events)
    submitted = DesignSubmitted(
        **events.next(),
        assignment=plan.assignment,
        model=plan.model,
        environment=plan.environment,
        submission=submission,
        executor=plan.executor,
        plan_md=plan.plan_md,
        simulations=notes.simulations,
        journal_entries=notes.unwritten_entries,
    )
    return Reaction(notes, decided=(*entries, submitted))


def _session_request(plan: PlanApproved, skills: tuple[OfferedSkill, ...], events: StepEvents) -> SessionRequested:
    return SessionRequested(
        **events.next(),
        assignment=plan.assignment,
        environment=plan.environment,
        plan_md=plan.plan_md,
        todo_md=plan.todo_md,
        executor=plan.executor,
        skills=skills,
        files=None if plan.continues is None else plan.continues.workspace,
        record=None if plan.continues is None else plan.continues.session,
    )


def _abandon_rejected(
    event: DesignRejected | RefusalDenied, notes: EngineerNotes, events: StepEvents
) -> Reaction[EngineerNotes]:
    is_design = isinstance(event, DesignRejected)
    reason, subject = ("design_rejected", "design") if is_design else ("refused", "refusal")
    detail = f"{notes.rejections} rejections by the critic; the last review of a {subject}: {event.review_md}"
    detail = detail if is_design else f"{notes.proof.rstrip('.')}. After {detail}"
    return _abandon(notes, WorkAbandoned(**events.next(), reason=reason, detail=detail))


def _abandon(notes: EngineerNotes, abandoned: WorkAbandoned) -> Reaction[EngineerNotes]:
    return Reaction(notes.model_copy(update={"finished": True}), decided=(abandoned,))
