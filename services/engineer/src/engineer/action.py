"""What the engineer may do next, read strictly from a reply: one cell, or one file."""

from agent.replies import MalformedReplyError, python_fence, require_text_only, sections
from contracts.conversation import Message, ToolCall
from contracts.model import Model
from pydantic import BaseModel, ConfigDict, Field, ValidationError

_SECTIONS = ("Purpose", "Reasoning", "Next goal", "Code")


class WriteFile(BaseModel):
    """Write a whole text file in the workspace; it replaces what was there."""

    model_config = ConfigDict(title="write_file", extra="forbid", strict=True)

    path: str = Field(description="Relative to the workspace, such as `script.py`, `todo.md` or `journal.md`.")
    text: str = Field(description="The whole content of the file.")


class CellAction(Model):
    """Run code in the kernel."""

    purpose: str
    reasoning: str
    next_goal: str
    code: str


class FileAction(Model):
    """Write a file."""

    call: ToolCall
    thought: str
    path: str
    text: str


def read_action(reply: Message) -> CellAction | FileAction:
    """Return the one thing the reply does; raise `MalformedReplyError` if it is none, or more than one."""
    if reply.tool_calls:
        return _file_action(reply)
    found = sections(require_text_only(reply), _SECTIONS)
    return CellAction(
        purpose=found["Purpose"],
        reasoning=found["Reasoning"],
        next_goal=found["Next goal"],
        code=python_fence(found["Code"]),
    )


def _file_action(reply: Message) -> FileAction:
    if len(reply.tool_calls) != 1:
        raise MalformedReplyError(f"One tool call at a time: the reply had {len(reply.tool_calls)}.")
    if "```" in reply.text:
        raise MalformedReplyError("Either a tool call or a cell, not both in one reply.")
    call = reply.tool_calls[0]
    if call.name != "write_file":
        raise MalformedReplyError(f"There is no tool `{call.name}`; the only one is `write_file(path, text)`.")
    try:
        written = WriteFile.model_validate_json(call.arguments_json)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise MalformedReplyError(
            f"`write_file` takes the texts `path` and `text` and nothing else: {faults}"
        ) from error
    return FileAction(call=call, thought=reply.text, path=written.path, text=written.text)
