"""Executor: which prompt and tools the engineer's model gets, and how its reply is read as an action."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from agent.loop.role import Reaction, StepEvents
from contracts.envelope import Event
from contracts.models.conversation import Message
from pydantic import BaseModel

from engineer.actions import FILE_TOOLS, Action, read_action
from engineer.notes import EngineerNotes


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
