"""Engineer's part: one model call between an observation and the next action."""

from collections.abc import Sequence

from agent.loop.prompts import Prompts
from agent.loop.role import Decision, Reaction, StepEvents, rejection_text
from agent.model.messages import user_message
from contracts.envelope import Event, Role
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignInvalidated, DesignRejected, DesignSubmitted
from contracts.events.plan import PlanApproved, RefusalDenied
from contracts.events.session import CellCompleted, FileRefused, FileViewed, FileWritten, SessionOpened
from contracts.events.skill import SkillsOffered
from contracts.models.conversation import Message
from contracts.models.submission import Refusal, Submission
from documents.quote import findings_markdown
from pydantic import BaseModel

from engineer.executors.executor import Acting
from engineer.executors.registry import EXECUTORS
from engineer.executors.tool_calls import CALLS
from engineer.experiments import entries, gist_of_trial, with_file, with_trial, with_verdict
from engineer.files import file_answer
from engineer.notes import EngineerNotes
from engineer.observation import answered, observed, with_cell
from engineer.opening import begin, first_words, take_skills, words_of_new_plan
from engineer.refusal import refusal, what_is_wrong
from engineer.requests import requested
from engineer.step_budget import last_words, replies_left


class Engineer:
    """Acts in a kernel until a design is approved, or gives the work up."""

    role: Role = "engineer"
    tools: Sequence[type[BaseModel]] = CALLS
    notes_class: type[EngineerNotes] = EngineerNotes

    def __init__(self) -> None:
        self._prompts = Prompts("engineer")
        self.prompt_digest = self._prompts.digest

    async def on_event(self, event: Event, notes: EngineerNotes, pen: StepEvents) -> Reaction[EngineerNotes]:
        """Return what the event means; before the plan and after the end nothing means anything."""
        if isinstance(event, PlanApproved):
            return begin(event, notes, pen)
        if notes.plan is None or notes.finished:
            return Reaction(notes)
        if isinstance(event, SkillsOffered):
            return take_skills(event, notes, notes.plan, pen)
        alone = EXECUTORS[notes.plan.executor].alone(event, notes, pen)
        return self._go_on(event, notes, notes.plan, pen) if alone is None else alone

    async def on_reply(self, reply: Message, notes: EngineerNotes, pen: StepEvents) -> Decision[EngineerNotes]:
        """Request what the reply does, and write down what the last trial taught."""
        assert notes.plan is not None
        action = EXECUTORS[notes.plan.executor].read(reply)
        written = entries(notes, action, pen)
        request, update = requested(action, pen)
        return Decision(notes.model_copy(update={**update, "trial": None}), (*written, request))

    def give_up(self, problem: str, notes: EngineerNotes, pen: StepEvents) -> Decision[EngineerNotes]:
        """Hand the run back to planner: a model that cannot be read designs nothing."""
        abandoned = pen.next(WorkAbandoned, reason="model_failed", detail=problem)
        return Decision(notes.model_copy(update={"finished": True}), (abandoned,))

    def _go_on(
        self, event: Event, notes: EngineerNotes, plan: PlanApproved, pen: StepEvents
    ) -> Reaction[EngineerNotes]:
        match event:
            case SessionOpened():
                return self._open(event, notes, plan, pen)
            case CellCompleted():
                return self._observe(event, with_cell(with_trial(notes, event), event), plan, pen)
            case FileWritten() | FileViewed() | FileRefused():
                return self._answer_file(event, notes, pen)
            case DesignInvalidated() | DesignRejected() | RefusalDenied():
                return self._take_back(event, notes, pen)
            case ReplyRejected():
                return self._ask(notes, pen, user_message(rejection_text(event)))
            case _:
                return Reaction(notes)

    def _open(
        self, opened: SessionOpened, notes: EngineerNotes, plan: PlanApproved, pen: StepEvents
    ) -> Reaction[EngineerNotes]:
        """Begin, or go on with a second plan: it answers the call that had refused the first one, if one had."""
        if notes.model_calls == 0:
            return self._ask(notes, pen, *first_words(self._prompts, self._acting(plan), plan, notes, opened))
        notes, message = answered(notes, words_of_new_plan(self._prompts, plan))
        return self._ask(notes, pen, message)

    def _observe(
        self, event: CellCompleted, notes: EngineerNotes, plan: PlanApproved, pen: StepEvents
    ) -> Reaction[EngineerNotes]:
        match event.ending:
            case Submission():
                submitted = pen.next(
                    DesignSubmitted,
                    assignment=plan.assignment,
                    model=plan.model,
                    environment=plan.environment,
                    submission=event.ending,
                )
                return Reaction(notes, decided=(submitted,))
            case Refusal(proof=proof):
                problem = what_is_wrong(proof, notes)
                if not problem:
                    return Reaction(notes, decided=(refusal(proof, notes, plan, pen),))
                notes, message = answered(notes, self._prompts.render("unproven", problem=problem))
                return self._ask(notes, pen, message)
            case None:
                notes, messages = observed(self._prompts, event, notes)
                return self._ask(notes, pen, *messages)

    def _answer_file(
        self, event: FileWritten | FileViewed | FileRefused, notes: EngineerNotes, pen: StepEvents
    ) -> Reaction[EngineerNotes]:
        if notes.open_call is None:
            return Reaction(notes)
        notes, message = answered(with_file(notes, event), file_answer(event, notes.open_call.name))
        return self._ask(notes, pen, message)

    def _take_back(
        self, event: DesignInvalidated | DesignRejected | RefusalDenied, notes: EngineerNotes, pen: StepEvents
    ) -> Reaction[EngineerNotes]:
        """Tell what was wrong. What the critic judged counts as a rejection."""
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
            if (abandoned := _exhausted(event, notes, pen)) is not None:
                return _abandon(notes, abandoned)
        notes, message = answered(notes, text, gist_of_trial(notes))
        return self._ask(notes, pen, message)

    def _ask(self, notes: EngineerNotes, pen: StepEvents, *says: Message) -> Reaction[EngineerNotes]:
        """Ask the model; the last reply is announced as such, and after it nothing is asked."""
        plan, left = notes.plan, replies_left(notes)
        assert plan is not None
        if not left:
            spent = f"{notes.model_calls} model calls"
            detail = f"no approved design after {spent}; allow more steps or an easier benchmark"
            return _abandon(notes, pen.next(WorkAbandoned, reason="steps_exhausted", detail=detail))
        notes, acting = notes.model_copy(update={"model_calls": notes.model_calls + 1}), self._acting(plan)
        return Reaction(notes, last_words(self._prompts, acting, says, left), plan.model, tools=acting.tools)

    def _acting(self, plan: PlanApproved) -> Acting:
        return EXECUTORS[plan.executor]


def _exhausted(event: DesignRejected | RefusalDenied, notes: EngineerNotes, pen: StepEvents) -> WorkAbandoned | None:
    """Return how the run is handed back when too much was rejected."""
    assert notes.plan is not None
    if notes.rejections <= notes.plan.budget.max_rejections:
        return None
    if isinstance(event, DesignRejected):
        detail = f"the critic said no {notes.rejections} times; the last review of a design: {event.review_md}"
        return pen.next(WorkAbandoned, reason="design_rejected", detail=detail)
    detail = f"the critic said no {notes.rejections} times; the last review of a refusal: {event.review_md}"
    return pen.next(WorkAbandoned, reason="refused", detail=detail)


def _abandon(notes: EngineerNotes, abandoned: WorkAbandoned) -> Reaction[EngineerNotes]:
    return Reaction(notes.model_copy(update={"finished": True}), decided=(abandoned,))
