"""Actions in a kernel session: cells and files, how they are read from tool calls, and the requests that do them."""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from contracts.envelope import Event, Request
from contracts.events.session import FileEditRequested, FileViewRequested, FileWriteRequested
from contracts.model import Model
from contracts.models.conversation import Message, ToolCall
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, WithJsonSchema

from agent.kernel_session.cells import cell_of, cell_request
from agent.loop.replies import CellAction
from agent.loop.role import StepEvents
from agent.loop.tool_calls import read_arguments, require_few_calls

SCRIPT = "script.py"
Line = Annotated[PositiveInt | None, WithJsonSchema({"type": "integer", "minimum": 1})]


class ViewFile(BaseModel):
    """Read a text file of the workspace; long files in several views."""

    model_config = ConfigDict(title="view_file", extra="forbid", strict=True)

    path: str = Field(description="Such as `script.py` or `utils/__init__.py`.")
    from_line: Line = Field(default=None, description="From 1.")
    to_line: Line = None


class EditFile(BaseModel):
    """Replace one passage of a text file. The old text must occur exactly once, to the blank."""

    model_config = ConfigDict(title="edit_file", extra="forbid", strict=True)

    path: str
    old_text: str = Field(description="Without line numbers; enough of it to be unique.")
    new_text: str


class WriteFile(BaseModel):
    """Write a whole text file in the workspace; an existing file is replaced."""

    model_config = ConfigDict(title="write_file", extra="forbid", strict=True)

    path: str = Field(description="Such as `script.py`, or a module of your own.")
    text: str


FileTool = ViewFile | EditFile | WriteFile

FILE_TOOLS: Sequence[type[FileTool]] = (ViewFile, EditFile, WriteFile)


class CallAction(Model):
    """A tool call that runs a cell."""

    call: ToolCall
    cell: CellAction


class FileAction(Model):
    """View, edit or write a file."""

    call: ToolCall
    thought: str
    arguments: FileTool


class ScriptAction(Model):
    """Write the whole script.py, which is then submitted as it is."""

    reasoning: str
    text: str


Action = CellAction | CallAction | FileAction | ScriptAction


def request_for(action: Action, unwritten: tuple[UUID, ...], events: StepEvents) -> tuple[Event, dict[str, CellAction]]:
    """Return the request that carries out an action, and the notes that change with it.

    `unwritten` are the journal entries that the session adds to journal.md first.
    """
    match action:
        case CellAction():
            return cell_request(action, events, unwritten), {"cell": action}
        case CallAction(cell=cell):
            return cell_request(cell, events, unwritten), {"cell": cell}
        case FileAction(arguments=arguments):
            return _file_request(arguments, unwritten, events), {}
        case ScriptAction(text=text):
            return FileWriteRequested(**events.next(), path=SCRIPT, text=text, journal_entries=unwritten), {}


def _file_request(arguments: FileTool, unwritten: tuple[UUID, ...], events: StepEvents) -> Request:
    path = arguments.path
    match arguments:
        case ViewFile(from_line=first, to_line=last):
            return FileViewRequested(
                **events.next(), path=path, from_line=first, to_line=last, journal_entries=unwritten
            )
        case EditFile(old_text=old, new_text=new):
            return FileEditRequested(**events.next(), path=path, old_text=old, new_text=new, journal_entries=unwritten)
        case WriteFile(text=text):
            return FileWriteRequested(**events.next(), path=path, text=text, journal_entries=unwritten)


def read_call(call: ToolCall, tools: Sequence[type[BaseModel]], thought: str = "") -> CallAction | FileAction:
    """Return the action of one call of these tools; raise `MalformedReplyError`."""
    arguments = read_arguments(call, tools)
    if isinstance(arguments, FileTool):
        return FileAction(call=call, thought=thought, arguments=arguments)
    return CallAction(call=call, cell=cell_of(arguments, thought))


def read_calls(reply: Message, tools: Sequence[type[BaseModel]]) -> tuple[Action, ...]:
    """Return the actions of all tool calls in order; the reply's text is the thought behind the first."""
    require_few_calls(reply)
    first, *others = reply.tool_calls
    return (read_call(first, tools, reply.text), *(read_call(call, tools) for call in others))
