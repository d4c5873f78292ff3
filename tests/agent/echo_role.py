"""A minimal role for tests of what all roles share."""

from collections.abc import Sequence
from typing import Any

from agent.loop.replies import MalformedReplyError
from agent.loop.role import Decision, Reaction, StepEvents, rejection_text
from agent.model.messages import user_message
from contracts.envelope import Event, Role
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.run import CancelRequested, EngineeringRequested
from contracts.events.session import CellRequested
from contracts.model import Model
from contracts.models.conversation import Message
from pydantic import BaseModel

from tests.contracts import example_values as values


class EchoNotes(Model):
    replies: tuple[str, ...] = ()
    model: str = ""


class EchoRole:
    """Runs each reply as a cell; rejects the reply `?`."""

    role: Role = "engineer"
    tools: Sequence[type[BaseModel]] = ()
    notes_class: type[EchoNotes] = EchoNotes
    prompt_digest = values.digest("prompt")

    async def on_event(self, event: Event, notes: EchoNotes, events: StepEvents) -> Reaction[EchoNotes]:
        match event:
            case EngineeringRequested():
                notes = notes.model_copy(update={"model": event.model})
                return Reaction(notes, (user_message(event.assignment.variant.title),), event.model)
            case ReplyRejected():
                return Reaction(notes, (user_message(rejection_text(event)),), notes.model)
            case CancelRequested(reason="ask again"):
                return Reaction(
                    notes,
                    (user_message("again"),),
                    "scripted",
                    decided=(CellRequested(**events.next(), **_cell("first")),),
                )
            case _:
                return Reaction(notes, decided=(CellRequested(**events.next(), **_cell(f"after {notes.replies}")),))

    async def on_reply(self, reply: Message, notes: EchoNotes, events: StepEvents) -> Decision[EchoNotes]:
        if reply.text == "?":
            raise MalformedReplyError("too short")
        notes = notes.model_copy(update={"replies": (*notes.replies, reply.text)})
        return Decision(notes, (CellRequested(**events.next(), **_cell(reply.text)),))

    def give_up(self, problem: str, notes: EchoNotes, events: StepEvents) -> Decision[EchoNotes]:
        return Decision(notes, (WorkAbandoned(**events.next(), reason="model_failed", detail=problem),))


def _cell(code: str) -> dict[str, Any]:
    return {"purpose": "echo", "code": code}
