"""Tool calls in a model's reply: their arguments, checked against the tools that the model may call."""

from collections.abc import Sequence

from contracts.models.conversation import Message, ToolCall
from pydantic import BaseModel, ValidationError

from agent.loop.replies import MalformedReplyError

MAX_CALLS = 16
"""In one reply."""


def name_of(tool: type[BaseModel]) -> str:
    """Return the name by which models call a tool."""
    return str(tool.model_config.get("title"))


def signature_of(tool: type[BaseModel]) -> str:
    """Return a tool's name with its arguments, such as `run_cell(code, purpose)`."""
    return f"{name_of(tool)}({', '.join(tool.model_fields)})"


def read_arguments(call: ToolCall, tools: Sequence[type[BaseModel]]) -> BaseModel:
    """Return the arguments of a call; raise `MalformedReplyError` if there is no such tool, or it takes others."""
    by_name = {name_of(tool): tool for tool in tools}
    tool = by_name.get(call.name)
    if tool is None:
        known = ", ".join(f"`{signature_of(each)}`" for each in tools) or "none"
        raise MalformedReplyError(f"The tool `{call.name}` does not exist; there are {known}.")
    try:
        return tool.model_validate_json(call.arguments_json or "{}")
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        fields = ", ".join(f"`{name}`" for name in tool.model_fields) or "no argument"
        raise MalformedReplyError(f"`{call.name}` takes {fields} and nothing else: {faults}") from error


def require_few_calls(reply: Message) -> None:
    """Raise `MalformedReplyError` for a reply with more calls than are run."""
    if len(reply.tool_calls) > MAX_CALLS:
        raise MalformedReplyError(f"The reply had {len(reply.tool_calls)} tool calls: at most {MAX_CALLS} are run.")


def require_one_call(reply: Message) -> ToolCall:
    """Return the reply's only call; raise `MalformedReplyError` if there are several."""
    if len(reply.tool_calls) != 1:
        raise MalformedReplyError(f"One tool call at a time: the reply had {len(reply.tool_calls)}.")
    return reply.tool_calls[0]
