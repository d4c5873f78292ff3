"""What an executor decides: which tools and prompt there are, and how a reply becomes an action."""

from collections.abc import Sequence
from typing import Protocol

from agent.loop.role import Reaction, StepEvents
from contracts.envelope import Event
from contracts.models.conversation import Message
from pydantic import BaseModel

from engineer.action import Action
from engineer.notes import EngineerNotes


class Acting(Protocol):
    """One way to act. What an observation becomes follows from the action: a tool call gets its answer."""

    @property
    def tools(self) -> Sequence[type[BaseModel]]:
        """What the model may call."""
        ...

    @property
    def prompt(self) -> str:
        """Name of the system prompt."""
        ...

    @property
    def has_one_reply(self) -> bool:
        """Whether the first reply is the last one."""
        ...

    def read(self, reply: Message) -> Action:
        """Return the one thing that the reply does; raise `MalformedReplyError`."""
        ...

    def alone(self, event: Event, notes: EngineerNotes, pen: StepEvents) -> Reaction[EngineerNotes] | None:
        """Return what is decided without the model; None: the model is asked."""
        ...
