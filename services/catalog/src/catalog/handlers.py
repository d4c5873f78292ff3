"""From words to parts."""

from typing import Protocol

from contracts.envelope import Event, Request
from contracts.events.catalog import CatalogSearchRequested


class Threads(Protocol):
    """The search agent's threads, one per run."""

    async def settle(self, request: Request) -> Event:
        """Move the run's thread until it answers."""
        ...


async def search(request: CatalogSearchRequested, threads: Threads) -> Event:
    """Return the parts that fit, or why there is no answer."""
    return await threads.settle(request)
