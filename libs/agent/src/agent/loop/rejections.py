"""Rejected replies: how the next prompt shows one, and when a role gives up."""

import json
from collections.abc import Sequence
from typing import Any

from contracts.events.conversation import RejectionCause
from contracts.model import Model
from contracts.models.conversation import Ending, Message, ToolCall
from pydantic import BaseModel, NonNegativeInt

from agent.model.messages import tool_message

MAX_OF_ONE_CAUSE = 8
"""After this many unusable replies of one cause in a row a role gives up."""
MAX_IN_A_ROW = 16
"""The same for unusable replies of any cause."""
MAX_SHOWN_CHARS = 12_000
"""The part of a rejected reply that the next prompt shows, and of each text in its tool calls."""
_NOT_DONE = "Not done: the reply could not be used."


class Rejections(Model):
    """The unusable replies in a row up to now."""

    in_a_row: NonNegativeInt = 0
    of_one_cause: NonNegativeInt = 0
    cause: RejectionCause | None = None
    """Of the newest."""

    def after(self, cause: RejectionCause) -> "Rejections":
        """Return the state after one more."""
        of_one_cause = self.of_one_cause + 1 if cause == self.cause else 1
        return Rejections(in_a_row=self.in_a_row + 1, of_one_cause=of_one_cause, cause=cause)

    @property
    def are_too_many(self) -> bool:
        """Whether the role gives up."""
        return self.of_one_cause >= MAX_OF_ONE_CAUSE or self.in_a_row >= MAX_IN_A_ROW


def shown_messages(reply: Message, ending: Ending, tools: Sequence[type[BaseModel]]) -> tuple[Message, ...]:
    """Return a rejected reply as the next prompt shows it, with an answer to each of its tool calls.

    Calls that no provider would accept back are shown as text. Nothing is shown of an empty reply, or of a refusal.
    """
    if ending == "refused" or not (reply.text.strip() or reply.tool_calls):
        return ()
    calls = [_shown_call(call) for call in reply.tool_calls]
    ids = {call.call_id for call in reply.tool_calls}
    if not tools or len(ids) < len(calls) or "" in ids or None in calls:
        written = [f"(A call of the tool `{call.name}` with {call.arguments_json})" for call in reply.tool_calls]
        text = "\n\n".join(filter(None, [reply.text, *written]))
        return (Message(author="assistant", text=_cut(text)),)
    sent = tuple(filter(None, calls))
    shown = reply.model_copy(update={"text": _cut(reply.text), "tool_calls": sent})
    return (shown, *(tool_message(call, _NOT_DONE) for call in sent))


def _shown_call(call: ToolCall) -> ToolCall | None:
    """Return the call with long arguments cut; None if it has no name, or arguments that are not a JSON object."""
    try:
        arguments: Any = json.loads(call.arguments_json)
    except (ValueError, RecursionError):
        return None
    if not call.name or not isinstance(arguments, dict):
        return None
    if len(call.arguments_json) <= MAX_SHOWN_CHARS:
        return call
    shown = {name: _cut(value) if isinstance(value, str) else value for name, value in arguments.items()}  # pyright: ignore[reportUnknownVariableType] - any JSON
    return call.model_copy(update={"arguments_json": json.dumps(shown, ensure_ascii=False)})


def _cut(text: str) -> str:
    """Return a text without the end of a long one."""
    if len(text) <= MAX_SHOWN_CHARS:
        return text
    return f"{text[:MAX_SHOWN_CHARS]}\n… {len(text) - MAX_SHOWN_CHARS} more characters are left out here …"
