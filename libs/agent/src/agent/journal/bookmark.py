"""How far a role's journal has come."""

from collections.abc import Iterable
from typing import Self

from contracts.envelope import Event
from contracts.events.conversation import JournalEntryAdded
from contracts.model import Model
from pydantic import NonNegativeInt


class Bookmark(Model):
    """Where the next entry begins."""

    entries: NonNegativeInt = 0
    """So many are written."""
    token: NonNegativeInt = 0
    """Up to which token of the timeline they go."""

    def after(self, decided: Iterable[Event]) -> Self:
        """Return the bookmark behind what was written in these."""
        written = [event for event in decided if isinstance(event, JournalEntryAdded)]
        if not written:
            return self
        return self.model_copy(update={"entries": written[-1].number, "token": written[-1].to_token})


class Place(Model):
    """Where a step stands on its role's timeline."""

    bookmark: Bookmark = Bookmark()
    token: NonNegativeInt = 0
    """Behind everything that was said before the step's reply."""
