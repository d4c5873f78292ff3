"""The leases of two workers."""

import asyncio

from chassis.leases.lease import Leases
from chassis.testing import FakeLeaseStore

LEASE_TTL_S = 0.2


class FirstAndNext:
    """The leases of the worker that has the session, and of the one that is to have it."""

    def __init__(self) -> None:
        ledger = FakeLeaseStore()
        self.side = ledger.client()
        self.first = Leases("first", self.side, LEASE_TTL_S)
        self.next = Leases("next", ledger.client(), LEASE_TTL_S)

    async def part(self) -> None:
        """Cut the first worker off, for longer than a lease lasts."""
        self.side.is_unavailable = True
        await asyncio.sleep(2 * LEASE_TTL_S)
