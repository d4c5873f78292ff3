"""Actions of the engineer: how an executor reads a reply as one action, and the request that carries it out."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar
from uuid import UUID

from agent.loop.replies import CellAction, MalformedReplyError, read_cell
from agent.loop.role import Reaction, StepEvents
from contracts.envelope import Event, Request
from contracts.events.session import CellRequested, FileEditRequested, FileViewRequested, FileWriteRequested
from contracts.model import Model
from contracts.models.conversation import Message, ToolCall
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError

from engineer.notes import EngineerNotes

SCRIPT = "script.py"


class ViewFile(BaseModel):
    """Read a text file of the workspace, read-only ones too; long files in several views."""

    model_config = ConfigDict(title="view_file", extra="forbid", strict=True)

    path: str = Field(description="Relative to the workspace, such as `script.py` or `utils/__init__.py`.")
    from_line: PositiveInt | None = Field(default=None, description="First line to show, from 1.")
    to_line: PositiveInt | None = Field(default=None, description="Last line to show.")


class EditFile(BaseModel):
    """Replace one passage of a text file. The old text must occur exactly once, blanks and line ends included."""

    model_config = ConfigDict(title="edit_file", extra="forbid", strict=True)

    path: str = Field(description="Relative to the workspace, such as `script.py`.")
    old_text: str = Field(description="The present text, without line numbers; enough of it to be unique.")
    new_text: str = Field(description="The text that replaces it.")


class WriteFile(BaseModel):
    """Write a whole text file in the workspace; an existing file is replaced."""

    model_config = ConfigDict(title="write_file", extra="forbid", strict=True)

    path: str = Field(description="Relative to the workspace, such as `script.py`, or a module of your own.")
    text: str = Field(description="The whole content of the file.")


FileTool = ViewFile | EditFile | WriteFile
ToolsByName = Mapping[str, type[BaseModel]]
"""By the names that models call."""

FILE_TOOLS: Sequence[type[FileTool]] = (ViewFile, EditFile, WriteFile)


class CallAction(Model):
    """A tool call that runs a fixed cell."""

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


def by_name(tools: Sequence[type[BaseModel]]) -> ToolsByName:
    """Return tools by the names that models call."""
    return {str(tool.model_config.get("title")): tool for tool in tools}


_FILE_TOOLS_BY_NAME = by_name(FILE_TOOLS)


def read_action(reply: Message) -> CellAction | FileAction:
    """Return the reply's one cell or file call; raise `MalformedReplyError` if it has none, or more than one."""
    if reply.tool_calls:
        if "```" in reply.text:
            raise MalformedReplyError("Either a tool call or a cell, not both in one reply.")
        arguments = read_call(reply, _FILE_TOOLS_BY_NAME)
        assert isinstance(arguments, FileTool)
        return FileAction(call=reply.tool_calls[0], thought=reply.text, arguments=arguments)
    return read_cell(reply)


def read_call(reply: Message, tools: ToolsByName) -> BaseModel:
    """Return the arguments of the reply's only tool call; raise `MalformedReplyError`."""
    if len(reply.tool_calls) != 1:
        raise MalformedReplyError(f"One tool call at a time: the reply had {len(reply.tool_calls)}.")
    call = reply.tool_calls[0]
    tool = tools.get(call.name)
    if tool is None:
        names = ", ".join(f"`{name}({', '.join(each.model_fields)})`" for name, each in tools.items())
        raise MalformedReplyError(f"The tool `{call.name}` does not exist; there are {names}.")
    try:
        return tool.model_validate_json(call.arguments_json)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        fields = ", ".join(f"`{name}`" for name in tool.model_fields) or "no argument"
        raise MalformedReplyError(f"`{call.name}` takes {fields} and nothing else: {faults}") from error


def request_for(
    action: Action, unwritten: tuple[UUID, ...], events: StepEvents
) -> tuple[Event, dict[str, CellAction | ToolCall]]:
    """Return the request that carries out an action, and the notes that change with it.

    `unwritten` are the journal entries that the session adds to journal.md first.
    """
    match action:
        case CellAction():
            return _cell_request(action, unwritten, events), {"cell": action}
        case CallAction(call=call, cell=cell):
            return _cell_request(cell, unwritten, events), {"cell": cell, "open_call": call}
        case FileAction(call=call, arguments=arguments):
            return _file_request(arguments, unwritten, events), {"open_call": call}
        case ScriptAction(text=text):
            return events.next(FileWriteRequested, path=SCRIPT, text=text, journal_entries=unwritten), {}


def _cell_request(cell: CellAction, unwritten: tuple[UUID, ...], events: StepEvents) -> CellRequested:
    return events.next(CellRequested, journal_entries=unwritten, **cell.model_dump(exclude={"reasoning"}))


def _file_request(arguments: FileTool, unwritten: tuple[UUID, ...], events: StepEvents) -> Request:
    fields = arguments.model_dump()
    match arguments:
        case ViewFile():
            return events.next(FileViewRequested, journal_entries=unwritten, **fields)
        case EditFile():
            return events.next(FileEditRequested, journal_entries=unwritten, **fields)
        case WriteFile():
            return events.next(FileWriteRequested, journal_entries=unwritten, **fields)


class Executor(ABC):
    """One way to act."""

    prompt: ClassVar[str]
    """Name of the system prompt."""
    tools: ClassVar[Sequence[type[BaseModel]]] = ()
    """Tools that the model may call."""
    has_one_reply: ClassVar[bool] = False
    """The first reply is the last one."""

    @abstractmethod
    def read(self, reply: Message) -> Action:
        """Return the one action of the reply; raise `MalformedReplyError`."""

    def react_without_model(
        self,
        event: Event,  # noqa: ARG002 - for executors that do
        notes: EngineerNotes,  # noqa: ARG002
        events: StepEvents,  # noqa: ARG002
    ) -> Reaction[EngineerNotes] | None:
        """Return the reaction to an event that needs no model; None: the model is called."""
        return None


class CodeExecutor(Executor):
    """The model writes cells and calls file tools."""

    prompt = "system"
    tools = FILE_TOOLS

    def read(self, reply: Message) -> Action:
        """Return a cell or a file tool's call."""
        return read_action(reply)
