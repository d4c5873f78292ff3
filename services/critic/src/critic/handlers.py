"""A review, from the request to the critic's word."""

from typing import Protocol

from contracts.design import DesignSimulated
from contracts.envelope import Event, Request
from contracts.planning import PlanProposed


class Threads(Protocol):
    """The critic's threads, one per run: it remembers the plan when it sees the design."""

    async def settle(self, request: Request) -> Event:
        """Move the run's thread until it answers."""
        ...


async def review(request: PlanProposed | DesignSimulated, threads: Threads) -> Event:
    """Return the critic's word on a plan or a design."""
    return await threads.settle(request)
