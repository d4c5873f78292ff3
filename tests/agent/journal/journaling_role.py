"""A role that writes a journal entry whenever its model replies `note`."""

from collections.abc import Sequence
from typing import Literal

from agent.loop.replies import MalformedReplyError
from agent.loop.role import Decision, Reaction, StepEvents, rejection_text
from agent.model.messages import user_message
from contracts.envelope import Event, Role, answering
from contracts.events.conversation import JournalEntryAdded, ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.run import EngineeringRequested
from contracts.events.session import CellCompleted, CellRequested
from contracts.model import Model
from contracts.models.conversation import Message
from contracts.models.observation import Observation
from pydantic import BaseModel

from tests.agent.role_harness import RoleHarness, engineering_requested
from tests.contracts import example_values as values

ReplyKind = Literal["act", "note", "malformed"]


class EmptyNotes(Model):
    """What it keeps."""


class JournalingRole:
    """Runs each reply as a cell; writes a journal entry at `note`, rejects `malformed`."""

    role: Role = "engineer"
    tools: Sequence[type[BaseModel]] = ()
    notes_class: type[EmptyNotes] = EmptyNotes
    prompt_digest = values.digest("prompt")

    async def on_event(self, event: Event, notes: EmptyNotes, events: StepEvents) -> Reaction[EmptyNotes]:
        match event:
            case EngineeringRequested():
                return Reaction(notes, (Message(author="system", text="Be brief."), user_message("Begin.")), "scripted")
            case CellCompleted():
                return Reaction(notes, (user_message(event.observation.output),), "scripted")
            case ReplyRejected():
                return Reaction(notes, (user_message(rejection_text(event)),), "scripted")
            case _:
                return Reaction(notes)

    async def on_reply(self, reply: Message, notes: EmptyNotes, events: StepEvents) -> Decision[EmptyNotes]:
        kind = reply.text.partition("\n")[0]
        if kind == "malformed":
            raise MalformedReplyError("too short")
        noted: list[Event] = []
        if kind == "note":
            noted.append(
                JournalEntryAdded(
                    **events.next_entry(), about="chapter", intent="try", result="seen", reflection="so", next_step="on"
                )
            )
        return Decision(notes, (*noted, CellRequested(**events.next(), purpose="p", code=reply.text)))

    def give_up(self, problem: str, notes: EmptyNotes, events: StepEvents) -> Decision[EmptyNotes]:
        return Decision(notes, (WorkAbandoned(**events.next(), reason="model_failed", detail=problem),))


class Conversation:
    """A journaling role, and the outcomes of its requests."""

    def __init__(self, replies: Sequence[tuple[ReplyKind, str]]) -> None:
        self._script = [f"{kind}\n{text}" for kind, text in replies]
        self.role = RoleHarness(JournalingRole(), self._script)

    async def run(self, answers: Sequence[str], *, lost_at: frozenset[int] = frozenset()) -> list[Event]:
        """Run until the script ends or the role gives up; the thread state is lost before the steps `lost_at`."""
        event: Event = engineering_requested()
        for step in range(len(self._script)):
            if step in lost_at:
                await self.role.threads.forget(event)
            decided = await self.role.consume(event)
            if not decided or isinstance(decided[-1], WorkAbandoned):
                break
            event = decided[-1]
            if isinstance(event, CellRequested):
                seen = Observation(status="ok", output=answers[step % len(answers)])
                event = CellCompleted(**answering(event, "cad-worker"), observation=seen)
        return self.role.bus.events
