"""A step of a review."""

from collections.abc import Sequence
from typing import Protocol

from contracts.envelope import Event


class Threads(Protocol):
    """The critic's threads, one per run: it remembers the plan when it sees the design."""

    async def advance(self, event: Event) -> Sequence[Event]:
        """Move the run's thread by one event."""
        ...


async def review(event: Event, threads: Threads) -> Sequence[Event]:
    """Return what critic decides on what it has heard: its word, or what it has to know first."""
    return await threads.advance(event)
