"""A step of the engineer's work."""

from collections.abc import Sequence
from typing import Protocol

from contracts.envelope import Event


class Threads(Protocol):
    """The engineer's threads, one per run."""

    async def advance(self, event: Event) -> Sequence[Event]:
        """Move the run's thread by one event."""
        ...


async def work(event: Event, threads: Threads) -> Sequence[Event]:
    """Return what the engineer decides on what it has heard."""
    return await threads.advance(event)
