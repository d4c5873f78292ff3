"""The leases of two workers."""

import asyncio

from chassis.leases.lease import Leases
from chassis.testing import FakeLeaseStore

LEASE_TTL_S = 0.2


class WorkerLeases:
    """The leases of the worker that has the session, and of the one that is to have it."""

    def __init__(self) -> None:
        ledger = FakeLeaseStore()
        self.side = ledger.side()
        self.first = Leases("first", self.side, LEASE_TTL_S)
        self.next = Leases("next", ledger.side(), LEASE_TTL_S)

    async def cut_off_first(self) -> None:
        """Cut the first worker off, for longer than a lease lasts."""
        self.side.is_away = True
        await asyncio.sleep(2 * LEASE_TTL_S)
