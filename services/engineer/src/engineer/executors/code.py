"""Cells in the kernel, and files: the way of the third seed."""

from collections.abc import Sequence

from agent.loop.role import Reaction, StepEvents
from contracts.envelope import Event
from contracts.models.conversation import Message
from pydantic import BaseModel

from engineer.action import TOOLS, Action, read_action
from engineer.notes import EngineerNotes


class Code:
    """The model writes cells."""

    tools: Sequence[type[BaseModel]] = TOOLS
    prompt = "system"
    has_one_reply = False

    def read(self, reply: Message) -> Action:
        """Return a cell or a file's tool call."""
        return read_action(reply)

    def alone(self, event: Event, notes: EngineerNotes, pen: StepEvents) -> Reaction[EngineerNotes] | None:
        """Decide nothing: after each observation the model is asked."""
        del event, notes, pen
