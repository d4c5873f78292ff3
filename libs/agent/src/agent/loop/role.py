"""What makes a role that role: from an event to words, and from a reply to decisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from contracts.envelope import Event, Role
from contracts.events.conversation import JournalEntryAdded, ReplyRejected
from contracts.models.conversation import Message
from pydantic import BaseModel

from agent.journal.bookmark import Place
from agent.journal.timeline import RULE

Notes = TypeVar("Notes", bound=BaseModel)
"""What a role keeps between events besides the conversation."""
Decided = TypeVar("Decided", bound=Event)


class StepEvents:
    """Writes what a role decides in one step; each event gets the next ordinal, so that ids can be derived again."""

    def __init__(self, cause: Event, role: Role, step: int, first_ordinal: int = 1, place: Place | None = None) -> None:
        self.cause = cause
        self._role: Role = role
        self._step = step
        self._ordinal = first_ordinal  # 0 is the step's ModelCalled
        self._place = place or Place()

    def next(self, event_class: type[Decided], **fields: Any) -> Decided:  # noqa: ANN401 - validated by the class
        """Return this class as the step's next decision."""
        written = event_class.deciding(self.cause, self._role, self._step, self._ordinal, **fields)
        self._ordinal += 1
        return written

    def journal_entry(self, **fields: Any) -> JournalEntryAdded:  # noqa: ANN401 - as above
        """Return the journal's next entry: about all that was said since the one before it, up to the newest reply.

        At most one of a step covers anything: what is worth writing down of it goes into one.
        """
        bookmark, token = self._place.bookmark, self._place.token
        number, span = bookmark.entries + 1, {"from_token": bookmark.token, "to_token": token}
        entry = self.next(JournalEntryAdded, number=number, **span, rule=RULE, **fields)
        self._place = Place(bookmark=bookmark.after([entry]), token=token)
        return entry


@dataclass(frozen=True)
class Reaction(Generic[Notes]):
    """What an event means to a role: something to think about, something already decided, or nothing."""

    notes: Notes
    messages: tuple[Message, ...] = ()
    """New messages of the conversation."""
    model: str = ""
    """Which model is to think about it; empty: no call."""
    decided: tuple[Event, ...] = ()
    tools: Sequence[type[BaseModel]] | None = None
    """What it may call this time; None: all of the role's tools."""


@dataclass(frozen=True)
class Decision(Generic[Notes]):
    """What a role makes of a reply."""

    notes: Notes
    decided: tuple[Event, ...]


class RolePolicy(Protocol[Notes]):
    """One role. Knows no bus, no database and no model; what it needs of the world it is given as ports.

    Everything it does may be done again for the same event: its effects must be such that twice is once. An event that
    leads to no model call and no decision is not told again to a thread that lost its memory: nothing may hang on it.
    """

    role: Role
    tools: Sequence[type[BaseModel]]
    """Schemas of the structured calls it may make."""
    notes_class: type[Notes]
    """Constructed without arguments for a thread that has heard nothing."""
    prompt_digest: str

    async def on_event(self, event: Event, notes: Notes, pen: StepEvents) -> Reaction[Notes]:
        """Return what the event means."""
        ...

    async def on_reply(self, reply: Message, notes: Notes, pen: StepEvents) -> Decision[Notes]:
        """Return what the reply decides; raise `MalformedReplyError` if it cannot be read."""
        ...

    def give_up(self, problem: str, notes: Notes, pen: StepEvents) -> Decision[Notes]:
        """Return what is decided when the model cannot be understood, however often it is asked."""
        ...


def rejection_text(rejected: ReplyRejected) -> str:
    """Say what was wrong with the last reply, which is not shown again."""
    return (
        f"Your last reply could not be used, and nothing was done (attempt {rejected.attempt}). {rejected.problem} "
        "Read the required form again and reply anew."
    )
