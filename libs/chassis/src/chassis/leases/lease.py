"""Who holds what: leases with an epoch, renewed from a thread of their own, so that a blocked event loop loses none.

No clock is compared with another. A holder counts from before it asked for its renewal, everybody else from after
they have seen it, each on a clock of their own: so a holder doubts its lease before anybody else can take it.
"""

import asyncio
import logging
import os
import socket
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, PositiveInt

from chassis.cancellation import cancel_and_wait
from chassis.errors import LeaseLostError
from chassis.leases.loop_thread import LoopThread

RENEWALS_PER_TTL = 4
TAKEOVER_TTLS = 1.25
"""How long a lease must have stood still before another takes it."""
GIVE_UP_TTLS = 8.0
"""How long a holder that cannot renew keeps hoping that nobody has taken its lease: the server may be away."""
LOOK_AGAIN_S = 0.05

_log = logging.getLogger(__name__)

Clock = Callable[[], float]
OnChange = Callable[[str, bytes], None]
Fence = Callable[[], Awaitable[None]]
"""Returns when work may go on or be published; raises `LeaseLostError` when it must not."""


def boottime_s() -> float:
    """Return seconds on a clock that goes on while the machine sleeps, and that nobody sets."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class LeaseHeldError(Exception):
    """What was to be overwritten is no longer the newest."""


class LeaseStoreUnavailableError(Exception):
    """The ledger did not answer."""


@dataclass(frozen=True)
class StoredValue:
    """What stands under a key."""

    revision: int
    value: bytes


class LeaseStore(Protocol):
    """Where leases are written down: values by key, overwritten only by who knows the newest revision."""

    async def open(self, hear: OnChange, reconnected: Callable[[], None]) -> None:
        """Connect; tell what others write, and when some of it may have been missed."""
        ...

    async def close(self) -> None:
        """Disconnect."""
        ...

    async def read(self, key: str) -> StoredValue | None:
        """Return the newest value; raise `LedgerAwayError`."""
        ...

    async def write(self, key: str, value: bytes, last_revision: int) -> int:
        """Write over that revision, 0 for none; return the new one. Raises `TakenError` and `LedgerAwayError`."""
        ...

    async def erase(self, key: str, last_revision: int) -> None:
        """Take out what stands there. Raises as `write` does."""
        ...


class LeaseRecord(BaseModel):
    """The value under a key."""

    model_config = ConfigDict(frozen=True)

    holder: str
    epoch: PositiveInt
    """Grows by one with every holder."""
    renewals: int = 0
    """So that every renewal reads differently."""
    is_released: bool = False

    @property
    def data(self) -> bytes:
        """As it is written down."""
        return self.model_dump_json().encode()


@dataclass(eq=False)
class Lease:
    """What this process holds, or held: a handle for its event loop, kept up to date by the renewing thread."""

    key: str
    record: LeaseRecord
    revision: int
    renewed_s: float
    """When the newest renewal that succeeded was asked for."""
    ttl_s: float
    clock: Clock
    loop: asyncio.AbstractEventLoop
    """Of those who work under the lease."""
    lost: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once it is known to be another's, or was in doubt for very long."""
    is_over: bool = False
    """Whether it was lost or released."""
    write_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """One write at a time, on the renewing thread."""

    @property
    def epoch(self) -> int:
        """Larger than that of every holder before."""
        return self.record.epoch

    @property
    def unrenewed_s(self) -> float:
        """For how long it was not renewed."""
        return self.clock() - self.renewed_s

    async def confirm(self) -> None:
        """Return when nobody else can hold it; wait while that is in doubt. Raises `LeaseLostError`."""
        while not self.is_over and self.unrenewed_s >= self.ttl_s:  # noqa: ASYNC110 - it is written by another thread
            await asyncio.sleep(LOOK_AGAIN_S)
        if self.is_over:
            raise LeaseLostError(f"{self.key} is no longer held here; it was, under epoch {self.epoch}")

    def lose(self) -> None:
        """Tell those who work under it."""
        self.is_over = True
        with suppress(RuntimeError):  # their loop is closed, and they are gone
            self.loop.call_soon_threadsafe(self.lost.set)


class Leases:
    """What one process holds, and what it knows of others."""

    def __init__(self, name: str, ledger: LeaseStore, ttl_s: float, clock: Clock = boottime_s) -> None:
        self._holder = f"{name}@{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
        self._ledger = ledger
        self._ttl_s = ttl_s
        self._clock = clock
        self._thread = LoopThread(f"{name} renews its leases")
        self._held: dict[str, Lease] = {}
        self._seen: dict[str, tuple[bytes, float]] = {}
        """What stands under a key, and since when for all we know."""
        self._one_taker = asyncio.Lock()
        self._renewing: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Connect and begin to renew."""
        self._thread.start()
        await self._thread.does(self._open())

    async def stop(self) -> None:
        """Renew no more. What is still held is taken by others after its time."""
        if self._thread.is_running:
            await self._thread.does(self._close())
            await self._thread.stop()

    async def acquire(self, key: str) -> Lease | None:
        """Take the lease, if nobody holds it or its holder has not renewed it in time; the same one if it is ours.

        Raises `LedgerAwayError` when nobody can tell.
        """
        return await self._thread.does(self._acquire(key, asyncio.get_running_loop()))

    async def release(self, lease: Lease, *, for_good: bool = False) -> None:
        """Let others have it at once; `for_good` when nobody will ever want it again. A lost one is no matter."""
        await self._thread.does(self._release(lease, for_good=for_good))

    async def _open(self) -> None:
        await self._ledger.open(self._hear, self._may_have_missed)
        self._renewing = asyncio.create_task(self._renew_for_ever())

    async def _close(self) -> None:
        if self._renewing is not None:
            await cancel_and_wait(self._renewing)
        await self._ledger.close()

    def _hear(self, key: str, value: bytes) -> None:
        if not value:
            self._seen.pop(key, None)
        elif self._seen.get(key, (b"", 0.0))[0] != value:
            self._seen[key] = (value, self._clock())

    def _may_have_missed(self) -> None:
        """Count anew: renewals may have passed unheard, and holders may have been cut off as we were."""
        now_s = self._clock()
        self._seen = {key: (value, now_s) for key, (value, _) in self._seen.items()}

    async def _acquire(self, key: str, loop: asyncio.AbstractEventLoop) -> Lease | None:
        async with self._one_taker:
            if key in self._held:
                return self._held[key]
            page = await self._ledger.read(key)
            if page is not None and not self._is_free(key, page.value):
                return None
            began_s = self._clock()
            epoch = 1 if page is None else LeaseRecord.model_validate_json(page.value).epoch + 1
            entry = LeaseRecord(holder=self._holder, epoch=epoch)
            try:
                revision = await self._ledger.write(key, entry.data, 0 if page is None else page.revision)
            except LeaseHeldError:
                return None
            lease = self._held[key] = Lease(key, entry, revision, began_s, self._ttl_s, self._clock, loop)
            return lease

    def _is_free(self, key: str, value: bytes) -> bool:
        self._hear(key, value)
        stood_s = self._clock() - self._seen[key][1]
        entry = LeaseRecord.model_validate_json(value)
        ours = entry.holder == self._holder  # written by a call whose answer did not come back
        return ours or entry.is_released or stood_s >= TAKEOVER_TTLS * self._ttl_s

    async def _release(self, lease: Lease, *, for_good: bool) -> None:
        if self._held.get(lease.key) is not lease:
            return
        del self._held[lease.key]
        lease.is_over = True
        async with lease.write_lock:
            with suppress(LeaseHeldError, LeaseStoreUnavailableError):
                if for_good:
                    await self._ledger.erase(lease.key, lease.revision)
                else:
                    released = lease.record.model_copy(update={"is_released": True})
                    await self._ledger.write(lease.key, released.data, lease.revision)

    async def _renew_for_ever(self) -> None:
        while True:
            await asyncio.sleep(self._ttl_s / RENEWALS_PER_TTL)
            await asyncio.gather(*(self._renew(lease) for lease in list(self._held.values())))

    async def _renew(self, lease: Lease) -> None:
        async with lease.write_lock:
            try:
                if not lease.is_over and not await self._is_renewed(lease):
                    self._lose(lease, "another holds it")
            except LeaseStoreUnavailableError as error:
                if lease.unrenewed_s >= GIVE_UP_TTLS * lease.ttl_s:
                    self._lose(lease, f"it could not be renewed for {lease.unrenewed_s:.0f} s: {error}")

    async def _is_renewed(self, lease: Lease) -> bool:
        """Renew it; return False if another has it."""
        began_s = self._clock()
        entry = lease.record.model_copy(update={"renewals": lease.record.renewals + 1})
        try:
            revision = await self._ledger.write(lease.key, entry.data, lease.revision)
        except LeaseHeldError:
            page = await self._ledger.read(lease.key)
            found = None if page is None else LeaseRecord.model_validate_json(page.value)
            if found is not None and (found.holder, found.epoch) != (self._holder, lease.epoch):
                return False
            # Written by ourselves, and the answer lost, or the whole ledger is new: go on from there, next time.
            lease.revision = 0 if page is None else page.revision
            return True
        lease.record, lease.revision, lease.renewed_s = entry, revision, began_s
        return True

    def _lose(self, lease: Lease, why: str) -> None:
        _log.warning("lease %s (epoch %d) is lost: %s", lease.key, lease.epoch, why)
        if self._held.get(lease.key) is lease:
            del self._held[lease.key]
        lease.lose()
