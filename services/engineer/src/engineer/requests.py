"""From an action to the request that carries it out."""

from agent.loop.cell_reply import CellAction
from agent.loop.role import StepEvents
from contracts.envelope import Event
from contracts.events.session import CellRequested, FileWriteRequested
from contracts.models.conversation import ToolCall

from engineer.action import Action, CallAction, FileAction, ScriptAction
from engineer.files import file_request

SCRIPT = "script.py"


def requested(action: Action, pen: StepEvents) -> tuple[Event, dict[str, CellAction | ToolCall]]:
    """Return the request, and what changes in the notes because of it."""
    match action:
        case CellAction():
            return _cell(action, pen), {"cell": action}
        case CallAction(call=call, cell=cell):
            return _cell(cell, pen), {"cell": cell, "open_call": call}
        case FileAction(call=call, wanted=wanted):
            return file_request(wanted, pen), {"open_call": call}
        case ScriptAction(text=text):
            return pen.next(FileWriteRequested, path=SCRIPT, text=text), {}


def _cell(cell: CellAction, pen: StepEvents) -> CellRequested:
    return pen.next(CellRequested, purpose=cell.purpose, code=cell.code, next_goal=cell.next_goal)
