"""From a run that succeeded to what it taught."""

from typing import Protocol

from contracts.engineering import RunSucceeded
from contracts.envelope import Event, Request


class Threads(Protocol):
    """The learner's threads, one per run."""

    async def settle(self, request: Request) -> Event:
        """Move the run's thread until it answers."""
        ...


async def learn(request: RunSucceeded, threads: Threads) -> Event:
    """Return the skill that was learned, or why there is none."""
    return await threads.settle(request)
