"""What one thread of a role remembers between two events. A cache: it can be told again from the log."""

from typing import Self
from uuid import UUID

from contracts.conversation import Message
from contracts.envelope import Event
from contracts.language import parse
from contracts.model import Model
from pydantic import NonNegativeInt

_REMEMBERED_DECISIONS = 8
"""A redelivery follows its first delivery closely; what was decided long ago was published long ago."""


class StoredEvent(Model):
    """An event as it lies in the log, so that every class finds its way back."""

    subject: str
    json_text: str

    @classmethod
    def of(cls, event: Event) -> Self:
        """Return the event in a form that can be stored."""
        return cls(subject=event.subject, json_text=event.model_dump_json())

    def read(self) -> Event:
        """Return the event itself."""
        return parse(self.subject, self.json_text.encode())


class Decision(Model):
    """What one event led to."""

    heard: UUID
    decided: tuple[StoredEvent, ...]


class Memory(Model):
    """One thread's memory."""

    step: NonNegativeInt = 0
    """How many events moved this thread; the ids of what it decides next follow from it."""
    malformed_in_a_row: NonNegativeInt = 0
    heard: tuple[UUID, ...] = ()
    decisions: tuple[Decision, ...] = ()
    """The latest few."""
    messages: tuple[Message, ...] = ()
    """The whole conversation."""
    seen_by_model: NonNegativeInt = 0
    """How many of `messages` stand in earlier `ModelCalled`s, its replies included."""
    notes_json: str = ""
    """What the role itself keeps; empty before its first event."""

    def decided_on(self, event: Event) -> list[Event]:
        """Return what was decided on an event that was heard before."""
        return [stored.read() for past in self.decisions if past.heard == event.id for stored in past.decided]

    def after(self, event: Event, decided: tuple[Event, ...]) -> Self:
        """Return this memory one step later."""
        decision = Decision(heard=event.id, decided=tuple(StoredEvent.of(each) for each in decided))
        return self.model_copy(
            update={
                "step": self.step + 1,
                "heard": (*self.heard, event.id),
                "decisions": (*self.decisions, decision)[-_REMEMBERED_DECISIONS:],
            }
        )
