"""What the engineer may do next: one cell, one thing with one file, or one whole script; and the file tools."""

from collections.abc import Mapping, Sequence

from agent.loop.cell_reply import CellAction, read_cell
from agent.loop.replies import MalformedReplyError, require_no_thoughts
from contracts.model import Model
from contracts.models.conversation import Message, ToolCall
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError


class ViewFile(BaseModel):
    """Read a text file of the workspace, the read-only ones too; long files in several views."""

    model_config = ConfigDict(title="view_file", extra="forbid", strict=True)

    path: str = Field(description="Relative to the workspace, such as `script.py` or `utils/__init__.py`.")
    from_line: PositiveInt | None = Field(default=None, description="First line to show, from 1.")
    to_line: PositiveInt | None = Field(default=None, description="Last line to show.")


class EditFile(BaseModel):
    """Replace one place in a text file. The old text must stand there exactly once, blanks and line ends included."""

    model_config = ConfigDict(title="edit_file", extra="forbid", strict=True)

    path: str = Field(description="Relative to the workspace, such as `script.py`.")
    old_text: str = Field(description="What stands there now, without line numbers; enough of it to be unique.")
    new_text: str = Field(description="What is to stand there.")


class WriteFile(BaseModel):
    """Write a whole text file in the workspace; it replaces what was there."""

    model_config = ConfigDict(title="write_file", extra="forbid", strict=True)

    path: str = Field(description="Relative to the workspace, such as `script.py`, or a module of your own.")
    text: str = Field(description="The whole content of the file.")


FileTool = ViewFile | EditFile | WriteFile
Tools = Mapping[str, type[BaseModel]]
"""By the names that models call."""

TOOLS: Sequence[type[FileTool]] = (ViewFile, EditFile, WriteFile)


class CallAction(Model):
    """Run code of ours, which is the deed of a tool call."""

    call: ToolCall
    cell: CellAction


class FileAction(Model):
    """View, edit or write a file."""

    call: ToolCall
    thought: str
    wanted: FileTool


class ScriptAction(Model):
    """Write script.py in one go; the run hands it in as it is."""

    reasoning: str
    text: str


Action = CellAction | CallAction | FileAction | ScriptAction


def by_name(tools: Sequence[type[BaseModel]]) -> Tools:
    """Return tools by the names that models call."""
    return {str(tool.model_config.get("title")): tool for tool in tools}


_FILE_TOOLS = by_name(TOOLS)


def read_action(reply: Message) -> CellAction | FileAction:
    """Return the one thing the reply does; raise `MalformedReplyError` if it is none, or more than one."""
    if reply.tool_calls:
        if "```" in reply.text:
            raise MalformedReplyError("Either a tool call or a cell, not both in one reply.")
        wanted = read_call(reply, _FILE_TOOLS)
        assert isinstance(wanted, FileTool)
        return FileAction(call=reply.tool_calls[0], thought=reply.text, wanted=wanted)
    return read_cell(reply)


def read_call(reply: Message, tools: Tools) -> BaseModel:
    """Return the arguments of the reply's only tool call; raise `MalformedReplyError`."""
    require_no_thoughts(reply.text)
    if len(reply.tool_calls) != 1:
        raise MalformedReplyError(f"One tool call at a time: the reply had {len(reply.tool_calls)}.")
    call = reply.tool_calls[0]
    tool = tools.get(call.name)
    if tool is None:
        names = ", ".join(f"`{name}({', '.join(each.model_fields)})`" for name, each in tools.items())
        raise MalformedReplyError(f"There is no tool `{call.name}`; there are {names}.")
    try:
        return tool.model_validate_json(call.arguments_json)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        fields = ", ".join(f"`{name}`" for name in tool.model_fields) or "no argument"
        raise MalformedReplyError(f"`{call.name}` takes {fields} and nothing else: {faults}") from error
