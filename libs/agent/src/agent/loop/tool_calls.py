"""Tool calls in a model's reply: their arguments, the order in which they run, and the one answer that each gets."""

from collections.abc import Sequence
from typing import Self

from contracts.model import Model
from contracts.models.conversation import Message, Picture, ToolCall
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError

from agent.loop.fences import read_fences
from agent.loop.replies import MalformedReplyError

MAX_CALLS = 16
"""In one reply."""


class CallNotes(Model):
    """Notes of a role on the tool calls of its newest reply, which run one after the other."""

    open_call: ToolCall | None = None
    """The tool call that runs, or waits for its verdict."""
    waiting_calls: tuple[ToolCall, ...] = ()
    """The calls of the same reply that run after it, in order."""
    calls: NonNegativeInt = 0
    """How many calls that reply has."""
    pictures: tuple[Picture, ...] = ()
    """What its calls have shown; a message with them follows the answers."""

    def begin_calls(self, reply: Message) -> Self:
        """Return the notes while the reply's first call runs, if it has any."""
        first = reply.tool_calls[0] if reply.tool_calls else None
        update = {"open_call": first, "waiting_calls": reply.tool_calls[1:], "calls": len(reply.tool_calls)}
        return self.model_copy(update=update)

    def begin_next_call(self) -> Self:
        """Return the notes while the next waiting call runs."""
        first, *others = self.waiting_calls
        return self.model_copy(update={"open_call": first, "waiting_calls": tuple(others)})

    def answer(self, text: str, short_form: str = "") -> tuple[Self, Message]:
        """Return a message to the model, which closes the open tool call if there is one, and the notes after it."""
        if self.open_call is None:
            return self, Message(author="user", text=text, gist=short_form)
        message = Message(author="tool", text=text, gist=short_form, tool_call_id=self.open_call.call_id)
        return self.model_copy(update={"open_call": None}), message

    def answer_observation(self, message: Message) -> tuple[Self, Message]:
        """Return an observation as the answer to the open call, and the notes, which keep the pictures."""
        if self.open_call is None:
            return self, message
        update = {"author": "tool", "images": (), "tool_call_id": self.open_call.call_id}
        notes = self.model_copy(update={"open_call": None, "pictures": (*self.pictures, *message.images)})
        return notes, message.model_copy(update=update)

    def end_calls(self, outcome: str = "") -> tuple[Self, tuple[Message, ...]]:
        """Return what follows the last answer: answers to the calls that do not run, and all pictures.

        `outcome` is how the last call that ran ended.
        """
        number = self.calls - len(self.waiting_calls)
        text = f"Not run, because call {number} {outcome}."
        skipped = [
            Message(author="tool", text=text, gist=text, tool_call_id=call.call_id) for call in self.waiting_calls
        ]
        shown = f"The pictures that the {'call has' if self.calls <= 1 else 'calls have'} shown:"
        pictures = [Message(author="user", text=shown, gist="pictures", images=self.pictures)] if self.pictures else []
        return self.model_copy(update={"waiting_calls": (), "pictures": ()}), (*skipped, *pictures)


class CodeCell(BaseModel):
    """Run Python code in your kernel, which keeps its variables, and get an observation."""

    model_config = ConfigDict(title="run_cell", extra="forbid", strict=True)

    code: str = Field(min_length=1)
    purpose: str = Field(default="", description="What the cell finds out or does, in one sentence.")

    def cell_code(self) -> str:
        """Return the model's own code, without a fence around it."""
        fences = read_fences(self.code) if self.code.lstrip().startswith("```") else []
        code = fences[0].content if len(fences) == 1 else self.code
        return f"{code.rstrip()}\n"

    def cell_purpose(self) -> str:
        """Return the model's purpose in one line."""
        return " ".join(self.purpose.split()) or "run a cell"


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


def require_alone(arguments: Sequence[BaseModel], deciding: type[BaseModel] | tuple[type[BaseModel], ...]) -> None:
    """Raise `MalformedReplyError` if a call that decides comes with others: its reasons must follow from results."""
    decisions = [name_of(type(each)) for each in arguments if isinstance(each, deciding)]
    if decisions and len(arguments) > 1:
        raise MalformedReplyError(
            f"Call `{decisions[0]}` in a reply of its own, when you have seen the results of all others."
        )


def require_few_calls(reply: Message) -> None:
    """Raise `MalformedReplyError` for a reply with more calls than are run."""
    if len(reply.tool_calls) > MAX_CALLS:
        raise MalformedReplyError(f"The reply had {len(reply.tool_calls)} tool calls: at most {MAX_CALLS} are run.")
