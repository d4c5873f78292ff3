"""Engineer's part: one model call between an observation and the next action."""

from collections.abc import Sequence

from agent.cells import CellAction
from agent.conduct import Acted, Heard, Pen, complaint
from agent.conversation import answer_to, user
from agent.gists import gist_of, picture_of, stopped_at
from agent.prompts import Prompts
from agent.rendering.assignment import assignment_markdown
from agent.rendering.materials import materials_markdown
from contracts.abandoned import WorkAbandoned
from contracts.conversation import JournalEntryAdded, Message, ReplyRejected, ToolCall
from contracts.design import DesignInvalidated, DesignRejected, DesignSubmitted
from contracts.envelope import Event, Role
from contracts.model import Model
from contracts.planning import PlanApproved
from contracts.session import (
    CellCompleted,
    CellRequested,
    FileRefused,
    FileViewed,
    FileWritten,
    Observation,
    SessionOpened,
    SessionRequested,
)
from contracts.submission import Refusal, Submission
from kernel.observing import observation_markdown
from kernel.quoting import findings_markdown
from pydantic import BaseModel, NonNegativeInt

from engineer.action import TOOLS, FileAction, read_action
from engineer.files import deed, file_answer, file_request
from engineer.journal import Trial, result_of, tries_a_design


class EngineerNotes(Model):
    """What engineer keeps of a run."""

    plan: PlanApproved | None = None
    model_calls: NonNegativeInt = 0
    rejections: NonNegativeInt = 0
    finished: bool = False
    cell: CellAction | None = None
    """The cell that is running or ran last."""
    open_call: ToolCall | None = None
    """The tool call that waits for its answer."""
    trial: Trial | None = None
    """What goes into the journal with the next reply."""


class Engineer:
    """Acts in a kernel until a design is approved, or gives the work up."""

    role: Role = "engineer"
    tools: Sequence[type[BaseModel]] = TOOLS
    notes_class: type[EngineerNotes] = EngineerNotes

    def __init__(self) -> None:
        self._prompts = Prompts("engineer")
        self.prompt_digest = self._prompts.digest

    async def remember(self, event: Event, notes: EngineerNotes, pen: Pen) -> Heard[EngineerNotes]:
        """Return what the event means; before the plan and after the end nothing means anything."""
        if isinstance(event, PlanApproved):
            return _begin(event, pen)
        if notes.plan is None or notes.finished:
            return Heard(notes)
        return self._go_on(event, notes, notes.plan, pen)

    async def act(self, reply: Message, notes: EngineerNotes, pen: Pen) -> Acted[EngineerNotes]:
        """Request what the reply does, and write down what the last trial taught."""
        action = read_action(reply)
        request, update = _requested(action, pen)
        entries = [] if notes.trial is None else [_entry(notes.trial, action, pen)]
        return Acted(notes.model_copy(update={**update, "trial": None}), (*entries, request))

    def give_up(self, problem: str, notes: EngineerNotes, pen: Pen) -> Acted[EngineerNotes]:
        """Hand the run back to planner: a model that cannot be read designs nothing."""
        abandoned = pen.write(WorkAbandoned, reason="model_failed", detail=problem)
        return Acted(notes.model_copy(update={"finished": True}), (abandoned,))

    def _go_on(self, event: Event, notes: EngineerNotes, plan: PlanApproved, pen: Pen) -> Heard[EngineerNotes]:
        match event:
            case SessionOpened():
                return self._ask(notes, pen, *self._opening(plan, event))
            case CellCompleted():
                return self._observe(event, notes, plan, pen)
            case FileWritten() | FileViewed() | FileRefused():
                return self._answer_call(event, notes, pen)
            case DesignInvalidated() | DesignRejected():
                return self._take_back(event, notes, plan, pen)
            case ReplyRejected():
                return self._ask(notes, pen, user(complaint(event)))
            case _:
                return Heard(notes)

    def _opening(self, plan: PlanApproved, opened: SessionOpened) -> tuple[Message, Message]:
        system = self._prompts.render("system", materials=materials_markdown(), max_steps=plan.budget.max_steps)
        task = self._prompts.render(
            "task",
            assignment=assignment_markdown(plan.assignment, plan.environment),
            plan=plan.plan_md.strip(),
            todo=plan.todo_md.strip(),
            review=plan.review_md.strip(),
            files=", ".join(f"`{path}`" for path in opened.files),
        )
        return Message(author="system", text=system), user(task)

    def _observe(
        self, event: CellCompleted, notes: EngineerNotes, plan: PlanApproved, pen: Pen
    ) -> Heard[EngineerNotes]:
        notes = _with_trial(notes, event)
        match event.ending:
            case Submission():
                submitted = pen.write(
                    DesignSubmitted,
                    assignment=plan.assignment,
                    model=plan.model,
                    environment=plan.environment,
                    submission=event.ending,
                )
                return Heard(notes, decided=(submitted,))
            case Refusal(proof=proof):
                return _abandon(notes, pen.write(WorkAbandoned, reason="refused", detail=proof))
            case None:
                return self._ask(notes, pen, self._observation(event.observation, notes))

    def _observation(self, observation: Observation, notes: EngineerNotes) -> Message:
        text = self._prompts.render("observation", observation=observation_markdown(observation))
        gist = gist_of(observation, notes.cell.purpose if notes.cell else "")
        images = tuple(map(picture_of, observation.images))
        return Message(author="user", text=text, gist=gist, stopped_at_line=stopped_at(observation), images=images)

    def _answer_call(
        self, event: FileWritten | FileViewed | FileRefused, notes: EngineerNotes, pen: Pen
    ) -> Heard[EngineerNotes]:
        if notes.open_call is None:
            return Heard(notes)
        answer = answer_to(notes.open_call, file_answer(event, notes.open_call.name))
        return self._ask(notes.model_copy(update={"open_call": None}), pen, answer)

    def _take_back(
        self, event: DesignInvalidated | DesignRejected, notes: EngineerNotes, plan: PlanApproved, pen: Pen
    ) -> Heard[EngineerNotes]:
        if isinstance(event, DesignInvalidated):
            text = self._prompts.render("invalidated", findings=findings_markdown(event.findings))
            rules = ", ".join(sorted({finding.rule for finding in event.findings}))
            notes = _with_result(notes, f"the design was not accepted: {rules}")
            return self._ask(notes, pen, user(text, _gist_of_trial(notes)))
        rejections = notes.rejections + 1
        notes = _with_result(notes, f"the critic rejected the design: {event.review_md.strip()}"[:400])
        notes = notes.model_copy(update={"rejections": rejections})
        if rejections > plan.budget.max_rejections:
            detail = f"the design was rejected {rejections} times; the last review: {event.review_md}"
            return _abandon(notes, pen.write(WorkAbandoned, reason="design_rejected", detail=detail))
        text = self._prompts.render("rejected", review=event.review_md.strip())
        return self._ask(notes, pen, user(text, _gist_of_trial(notes)))

    def _ask(self, notes: EngineerNotes, pen: Pen, *says: Message) -> Heard[EngineerNotes]:
        assert notes.plan is not None
        most, model = notes.plan.budget.max_steps, notes.plan.model
        if notes.model_calls >= most:
            detail = f"no approved design after {most} model calls; allow more steps or an easier benchmark"
            return _abandon(notes, pen.write(WorkAbandoned, reason="steps_exhausted", detail=detail))
        notes = notes.model_copy(update={"model_calls": notes.model_calls + 1})
        return Heard(notes, says, model)


def _begin(plan: PlanApproved, pen: Pen) -> Heard[EngineerNotes]:
    requested = pen.write(
        SessionRequested,
        assignment=plan.assignment,
        environment=plan.environment,
        plan_md=plan.plan_md,
        todo_md=plan.todo_md,
    )
    return Heard(EngineerNotes(plan=plan), decided=(requested,))


def _abandon(notes: EngineerNotes, abandoned: WorkAbandoned) -> Heard[EngineerNotes]:
    return Heard(notes.model_copy(update={"finished": True}), decided=(abandoned,))


def _requested(action: CellAction | FileAction, pen: Pen) -> tuple[Event, dict[str, object]]:
    """Return the request, and what changes in the notes because of it."""
    if isinstance(action, CellAction):
        request = pen.write(CellRequested, purpose=action.purpose, code=action.code, next_goal=action.next_goal)
        return request, {"cell": action}
    return file_request(action.wanted, pen), {"open_call": action.call}


def _with_trial(notes: EngineerNotes, event: CellCompleted) -> EngineerNotes:
    if notes.cell is None or not tries_a_design(notes.cell.code):
        return notes
    trial = Trial(intent=notes.cell.purpose, result=result_of(event.observation))
    return notes.model_copy(update={"trial": trial})


def _with_result(notes: EngineerNotes, result: str) -> EngineerNotes:
    intent = notes.cell.purpose if notes.cell else "submit the design"
    return notes.model_copy(update={"trial": Trial(intent=intent, result=result)})


def _gist_of_trial(notes: EngineerNotes) -> str:
    assert notes.trial is not None
    return " ".join(f"{notes.trial.intent}: {notes.trial.result}".split())


def _entry(trial: Trial, action: CellAction | FileAction, pen: Pen) -> JournalEntryAdded:
    if isinstance(action, CellAction):
        reflection, next_step = action.reasoning, action.purpose
    else:
        reflection, next_step = action.thought, deed(action.wanted)
    return pen.write(
        JournalEntryAdded, intent=trial.intent, result=trial.result, reflection=reflection, next_step=next_step
    )
