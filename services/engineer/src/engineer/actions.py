"""Executors of the engineer: the ways in which it may act, and how each reads a reply."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from agent.kernel_session.actions import Action, CallAction, FileAction, read_call, read_calls
from agent.loop.role import Reaction, StepEvents
from contracts.envelope import Event
from contracts.models.conversation import Message, ToolCall
from pydantic import BaseModel

from engineer.notes import EngineerNotes


class Executor(ABC):
    """One way to act."""

    prompt: ClassVar[str]
    """Name of the system prompt."""
    tools: ClassVar[Sequence[type[BaseModel]]] = ()
    """Tools that the model may call."""
    writes_cells: ClassVar[bool] = False
    """The model writes the code of cells, and so may call all functions of `utils`."""
    has_one_reply: ClassVar[bool] = False
    """The first reply is the last one."""

    @abstractmethod
    def read(self, reply: Message) -> tuple[Action, ...]:
        """Return the actions of the reply, one or several tool calls in order; raise `MalformedReplyError`."""

    def read_call(self, call: ToolCall, thought: str = "") -> CallAction | FileAction:
        """Return the action of one tool call; raise `MalformedReplyError`."""
        return read_call(call, self.tools, thought)

    def read_calls(self, reply: Message) -> tuple[Action, ...]:
        """Return the actions of all tool calls in order; the reply's text is the thought behind the first."""
        return read_calls(reply, self.tools)

    def react_without_model(
        self,
        event: Event,  # noqa: ARG002 - for executors that do
        notes: EngineerNotes,  # noqa: ARG002
        events: StepEvents,  # noqa: ARG002
    ) -> Reaction[EngineerNotes] | None:
        """Return the reaction to an event that needs no model; None: the model is called."""
        return None
