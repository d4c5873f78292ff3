"""Executor that gets one reply with one script and submits it as it is; any failure ends the run."""

from agent.kernel_session.actions import Action, ScriptAction
from agent.kernel_session.experiments import result_of
from agent.loop.replies import CellAction, read_cell
from agent.loop.role import Reaction, StepEvents
from contracts.envelope import Event
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignInvalidated, DesignRejected
from contracts.events.session import CellCompleted, CellRequested, FileRefused, FileWritten
from contracts.models.conversation import Message
from contracts.models.submission import Submission
from documents.quote import findings_markdown

from engineer.actions import Executor
from engineer.executors.fixed_cells import SUBMIT_SCRIPT
from engineer.notes import EngineerNotes

_PURPOSE = "Run script.py in a fresh kernel and hand it in"


class SinglePassExecutor(Executor):
    """The model writes a script and sees no observation."""

    prompt = "system_single_pass"
    has_one_reply = True

    def read(self, reply: Message) -> tuple[Action, ...]:
        """Return the script."""
        cell = read_cell(reply)
        return (ScriptAction(reasoning=cell.reasoning, text=cell.code),)

    def react_without_model(
        self, event: Event, notes: EngineerNotes, events: StepEvents
    ) -> Reaction[EngineerNotes] | None:
        """Submit the script once it is written; end the run if it cannot be submitted or is rejected."""
        if isinstance(event, FileWritten):
            return _submit(notes, events)
        problem = _failure(event)
        if problem is None:
            return None
        abandoned = WorkAbandoned(**events.next(), reason="single_pass_failed", detail=problem)
        return Reaction(notes.model_copy(update={"finished": True}), decided=(abandoned,))


def _failure(event: Event) -> str | None:
    match event:
        case FileRefused(detail=detail):
            return f"script.py was not written: {detail}"
        case CellCompleted(observation=observation, ending=ending) if not isinstance(ending, Submission):
            return f"script.py could not be submitted: {result_of(observation)}"
        case DesignInvalidated(findings=findings):
            return f"the design was not accepted:\n{findings_markdown(findings)}"
        case DesignRejected(review_md=review):
            return f"the critic rejected the design: {review}"
        case _:
            return None


def _submit(notes: EngineerNotes, events: StepEvents) -> Reaction[EngineerNotes]:
    cell = CellAction(purpose=_PURPOSE, reasoning="", next_goal="", code=SUBMIT_SCRIPT)
    request = CellRequested(**events.next(), purpose=cell.purpose, code=cell.code)
    return Reaction(notes.model_copy(update={"cell": cell}), decided=(request,))
