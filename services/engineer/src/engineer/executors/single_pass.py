"""One reply with one script, which is handed in as it is; what comes of it ends the run."""

from collections.abc import Sequence

from agent.loop.cell_reply import CellAction
from agent.loop.replies import python_fence, require_text_only, sections
from agent.loop.role import Reaction, StepEvents
from contracts.envelope import Event
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.design import DesignInvalidated, DesignRejected
from contracts.events.session import CellCompleted, CellRequested, FileRefused, FileWritten
from contracts.models.conversation import Message
from contracts.models.submission import Submission
from documents.quote import findings_markdown
from pydantic import BaseModel

from engineer.action import Action, ScriptAction
from engineer.executors.fixed_cells import SUBMIT_SCRIPT
from engineer.journal import result_of
from engineer.notes import EngineerNotes

_SECTIONS = ("Reasoning", "Script")
_PURPOSE = "Run script.py in a fresh kernel and hand it in"


class SinglePass:
    """The model writes a script and sees nothing."""

    tools: Sequence[type[BaseModel]] = ()
    prompt = "system_single_pass"
    has_one_reply = True

    def read(self, reply: Message) -> Action:
        """Return the script."""
        found = sections(require_text_only(reply), _SECTIONS)
        return ScriptAction(reasoning=found["Reasoning"], text=python_fence(found["Script"], "Script"))

    def alone(self, event: Event, notes: EngineerNotes, pen: StepEvents) -> Reaction[EngineerNotes] | None:
        """Hand the script in once it is written, and end the run with whatever is not a submission."""
        if isinstance(event, FileWritten):
            return _hand_in(notes, pen)
        problem = _problem(event)
        if problem is None:
            return None
        abandoned = pen.next(WorkAbandoned, reason="single_pass_failed", detail=problem)
        return Reaction(notes.model_copy(update={"finished": True}), decided=(abandoned,))


def _problem(event: Event) -> str | None:
    match event:
        case FileRefused(detail=detail):
            return f"script.py was not written: {detail}"
        case CellCompleted(observation=observation, ending=ending) if not isinstance(ending, Submission):
            return f"script.py could not be handed in: {result_of(observation)}"
        case DesignInvalidated(findings=findings):
            return f"the design was not accepted:\n{findings_markdown(findings)}"
        case DesignRejected(review_md=review):
            return f"the critic rejected the design: {review}"
        case _:
            return None


def _hand_in(notes: EngineerNotes, pen: StepEvents) -> Reaction[EngineerNotes]:
    cell = CellAction(purpose=_PURPOSE, reasoning="", next_goal="", code=SUBMIT_SCRIPT)
    request = pen.next(CellRequested, purpose=cell.purpose, code=cell.code)
    return Reaction(notes.model_copy(update={"cell": cell}), decided=(request,))
