"""The leases of two workers over one store in memory."""

import asyncio

from chassis.leases.lease import Leases
from chassis.testing import FakeLeaseStore

LEASE_TTL_S = 0.2


class WorkerLeases:
    """The leases of the worker that has the session, and of the next one."""

    def __init__(self) -> None:
        store = FakeLeaseStore()
        self.side = store.client()
        """The first worker's connection to the store."""
        self.first = Leases("first", self.side, LEASE_TTL_S)
        self.next = Leases("next", store.client(), LEASE_TTL_S)

    async def cut_off_first(self) -> None:
        """Disconnect the first worker, and wait until its leases have run out."""
        self.side.is_unavailable = True
        await asyncio.sleep(2 * LEASE_TTL_S)
