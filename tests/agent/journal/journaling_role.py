"""A role that writes into its journal whenever its model says so, on a log in memory."""

from collections.abc import Sequence
from typing import Literal

from agent.loop.replies import MalformedReplyError
from agent.loop.role import Decision, Reaction, StepEvents, rejection_text
from agent.model.messages import user_message
from contracts.envelope import Event, Role
from contracts.events.conversation import ReplyRejected
from contracts.events.dead_letters import WorkAbandoned
from contracts.events.run import EngineeringRequested
from contracts.events.session import CellCompleted, CellRequested
from contracts.model import Model
from contracts.models.conversation import Message
from contracts.models.observation import Observation
from pydantic import BaseModel

from tests.agent.role_harness import RolePlay, engineering_requested
from tests.contracts import example_values as values

Says = Literal["act", "note", "malformed"]


class Nothing(Model):
    """What it keeps."""


class Noter:
    """Runs what its model says as a cell; notes what was said so far at `note`, cannot read `malformed`."""

    role: Role = "engineer"
    tools: Sequence[type[BaseModel]] = ()
    notes_class: type[Nothing] = Nothing
    prompt_digest = values.digest("prompt")

    async def on_event(self, event: Event, notes: Nothing, events: StepEvents) -> Reaction[Nothing]:
        match event:
            case EngineeringRequested():
                return Reaction(notes, (Message(author="system", text="Be brief."), user_message("Begin.")), "scripted")
            case CellCompleted():
                return Reaction(notes, (user_message(event.observation.output),), "scripted")
            case ReplyRejected():
                return Reaction(notes, (user_message(rejection_text(event)),), "scripted")
            case _:
                return Reaction(notes)

    async def on_reply(self, reply: Message, notes: Nothing, events: StepEvents) -> Decision[Nothing]:
        said = reply.text.partition("\n")[0]
        if said == "malformed":
            raise MalformedReplyError("say more")
        entry = {"intent": "try", "result": "seen", "reflection": "so", "next_step": "on"}
        noted = [events.journal_entry(about="chapter", **entry)] if said == "note" else []
        return Decision(notes, (*noted, events.next(CellRequested, purpose="p", code=reply.text)))

    def give_up(self, problem: str, notes: Nothing, events: StepEvents) -> Decision[Nothing]:
        return Decision(notes, (events.next(WorkAbandoned, reason="model_failed", detail=problem),))


class Conversation:
    """A noter, and the world's answers to it."""

    def __init__(self, replies: Sequence[tuple[Says, str]]) -> None:
        self._said = [f"{said}\n{text}" for said, text in replies]
        self.play = RolePlay(Noter(), self._said)

    async def hold(self, answers: Sequence[str], *, forgetful_at: frozenset[int] = frozenset()) -> list[Event]:
        """Converse until the script ends, or the role gives up; its memory is lost before some steps."""
        event: Event = engineering_requested()
        for step in range(len(self._said)):
            if step in forgetful_at:
                await self.play.threads.forget(event)
            decided = await self.play.hear(event)
            if not decided or isinstance(decided[-1], WorkAbandoned):
                break
            event = decided[-1]
            if isinstance(event, CellRequested):
                seen = Observation(status="ok", output=answers[step % len(answers)])
                event = CellCompleted.answering(event, "cad-worker", observation=seen)
        return self.play.bus.events
