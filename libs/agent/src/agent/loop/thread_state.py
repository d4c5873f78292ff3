"""State of a role's thread between two events: a cache that the event log can restore."""

from collections.abc import Iterable, Sequence
from typing import Self
from uuid import UUID

from contracts.envelope import Event, Role, request_id
from contracts.events.conversation import JournalEntryAdded
from contracts.model import Model
from contracts.models.conversation import Condensed, Message, Usage
from pydantic import NonNegativeInt

from agent.context.stand_ins import JournalLine, StandIns
from agent.journal.entries import Bookmark, TimelinePosition, entry_line
from agent.loop.rejections import Rejections
from agent.token_prices import NOTHING_SPENT


class StoredEvent(Model):
    """Where in its run's log an event is."""

    role: Role
    id: UUID


class ThreadState(Model):
    """What a thread remembers."""

    step_causes: tuple[UUID, ...] = ()
    """The event that made each step. A step shows in the log by its `ModelCalled`, or else by its first decision."""
    consumed: frozenset[UUID] = frozenset()
    """Every consumed event, also those that made no step."""
    newest: StoredEvent | None = None
    """The newest event that this thread stored. A log without it is older than this state."""
    rejections: Rejections = Rejections()
    messages: tuple[Message, ...] = ()
    """The whole conversation."""
    recorded_messages: NonNegativeInt = 0
    """How many of `messages` earlier `ModelCalled` events hold, replies included."""
    condensed: Condensed = Condensed()
    """How the prompt of the newest call was condensed; later prompts are condensed no less."""
    spent: Usage = NOTHING_SPENT
    """On all model calls so far."""
    timeline_tokens: NonNegativeInt = 0
    """Length of the role's timeline, the newest reply included."""
    bookmark: Bookmark = Bookmark()
    """End of the role's journal."""
    stand_ins: StandIns = StandIns()
    notes_json: str = ""
    """The notes of the policy; empty before its first event."""

    @property
    def step(self) -> int:
        """Number of the next step, from 0; the ids of its events follow from it."""
        return len(self.step_causes)

    @property
    def position(self) -> TimelinePosition:
        """Position of the next step on the timeline."""
        return TimelinePosition(bookmark=self.bookmark, token=self.timeline_tokens)

    def after_event(self, event: Event, stored: Sequence[Event], *, made_step: bool) -> Self:
        """Return the state after this event was consumed and the events that follow from it were stored."""
        update: dict[str, object] = {"consumed": self.consumed | {event.id}}
        if made_step:
            update["step_causes"] = (*self.step_causes, event.id)
        if stored:
            update["newest"] = StoredEvent(role=stored[-1].role, id=stored[-1].id)
        return self.model_copy(update=update)

    def with_entries(self, decided: Iterable[Event], last_step: int) -> Self:
        """Return the state with the journal entries among these events, which cover steps up to `last_step`."""
        entries = [event for event in decided if isinstance(event, JournalEntryAdded)]
        lines = (JournalLine(number=each.number, last_step=last_step, text=entry_line(each)) for each in entries)
        stand_ins = self.stand_ins.model_copy(update={"journal_lines": (*self.stand_ins.journal_lines, *lines)})
        return self.model_copy(update={"bookmark": self.bookmark.after(entries), "stand_ins": stand_ins})


def step_ids(run_id: UUID, role: Role, step: int) -> tuple[UUID, UUID]:
    """Return the two ids by which a step shows in the log: of its model call, and of its first decision."""
    return request_id(run_id, role, step, 0), request_id(run_id, role, step, 1)
