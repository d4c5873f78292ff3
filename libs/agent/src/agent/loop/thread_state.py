"""What one thread of a role remembers between two events. A cache: it can be told again from the log."""

from collections.abc import Iterable
from typing import Self
from uuid import UUID

from contracts.envelope import Event, Role, request_id
from contracts.events.conversation import JournalEntryAdded
from contracts.model import Model
from contracts.models.conversation import Condensed, Message, Usage
from pydantic import NonNegativeInt

from agent.context.stand_ins import Memories, Noted
from agent.journal.bookmark import Bookmark
from agent.journal.entries import entry_line
from agent.model.prices import NOTHING_SPENT


class ThreadState(Model):
    """One thread's memory."""

    moved_by: tuple[UUID, ...] = ()
    """Which event made each step. A step leaves a mark in the log: its `ModelCalled`, or else its first decision."""
    heard: frozenset[UUID] = frozenset()
    """Every event that was heard, also those that led to no step."""
    malformed_in_a_row: NonNegativeInt = 0
    messages: tuple[Message, ...] = ()
    """The whole conversation."""
    seen_by_model: NonNegativeInt = 0
    """How many of `messages` stand in earlier `ModelCalled`s, its replies included."""
    condensed: Condensed = Condensed()
    """How the conversation was shortened for the newest call; further on, it is shortened no less."""
    spent: Usage = NOTHING_SPENT
    """On all model calls so far."""
    timeline_tokens: NonNegativeInt = 0
    """How long the timeline of the role is, the newest reply included."""
    bookmark: Bookmark = Bookmark()
    """How far its journal has come."""
    memories: Memories = Memories()
    """What stands for steps that prompts have no room for."""
    notes_json: str = ""
    """What the role itself keeps; empty before its first event."""

    @property
    def step(self) -> int:
        """How many steps this thread made; the ids of what it decides next follow from it."""
        return len(self.moved_by)

    def after(self, event: Event, *, moved: bool) -> Self:
        """Return this memory once the event was heard, which made a step or did not."""
        moved_by = (*self.moved_by, event.id) if moved else self.moved_by
        return self.model_copy(update={"moved_by": moved_by, "heard": self.heard | {event.id}})

    def noting(self, decided: Iterable[Event], last_step: int) -> Self:
        """Return this memory with what was written into the journal, about steps up to this one."""
        written = [event for event in decided if isinstance(event, JournalEntryAdded)]
        noted = tuple(Noted(number=each.number, to_step=last_step, words=entry_line(each)) for each in written)
        memories = self.memories.model_copy(update={"noted": (*self.memories.noted, *noted)})
        return self.model_copy(update={"bookmark": self.bookmark.after(written), "memories": memories})


def step_ids(run_id: UUID, role: Role, step: int) -> tuple[UUID, UUID]:
    """Return the two ids by which a step shows in the log: its model call's, and its first decision's."""
    return request_id(run_id, role, step, 0), request_id(run_id, role, step, 1)
