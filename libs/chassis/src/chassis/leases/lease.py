"""Leases with an epoch, renewed from a thread of their own, so that a blocked event loop loses none.

Clocks of different processes are never compared. A holder counts from the moment before it sent its renewal, every
other process from the moment after it saw it, each on its own clock: a holder therefore doubts its lease before
another process can take it.
"""

import asyncio
import logging
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, PositiveInt

from chassis.background_tasks import LoopThread, SupervisedTask
from chassis.errors import LeaseLostError

RENEWALS_PER_TTL = 4
TAKEOVER_TTLS = 1.25
"""How long a lease must have gone without renewal before another process takes it."""
GIVE_UP_TTLS = 8.0
"""How long a holder that cannot renew keeps a lease that no other process may have taken: the server may be down."""
LOOK_AGAIN_S = 0.05

_log = logging.getLogger(__name__)

Clock = Callable[[], float]
OnChange = Callable[[str, bytes], None]
"""Called with the key and the new value, which is empty once the key is erased."""


def boottime_s() -> float:
    """Return seconds on a clock that goes on while the machine sleeps, and that cannot be set."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class LeaseHeldError(Exception):
    """The stored value is newer than the revision that was to be overwritten."""


class LeaseStoreUnavailableError(Exception):
    """The lease store does not answer."""


@dataclass(frozen=True)
class StoredValue:
    """The newest value of a key."""

    revision: int
    value: bytes


class LeaseStore(Protocol):
    """Storage of leases: values by key, which are overwritten by compare-and-set on their revision."""

    async def open(self, on_change: OnChange, on_reconnect: Callable[[], None]) -> None:
        """Connect; report every write of any process, and each reconnect, before which reports may be missing."""
        ...

    async def close(self) -> None:
        """Disconnect."""
        ...

    async def read(self, key: str) -> StoredValue | None:
        """Return the newest value; raise `LeaseStoreUnavailableError`."""
        ...

    async def write(self, key: str, value: bytes, last_revision: int) -> int:
        """Overwrite a revision, 0 for none, and return the new one.

        Raises `LeaseHeldError` and `LeaseStoreUnavailableError`.
        """
        ...

    async def erase(self, key: str, last_revision: int) -> None:
        """Remove the key; raises as `write` does."""
        ...


class LeaseRecord(BaseModel):
    """The value under a key."""

    model_config = ConfigDict(frozen=True)

    holder: str
    epoch: PositiveInt
    """Grows by one with every holder."""
    renewals: int = 0
    """Makes every renewal a different value."""
    is_released: bool = False

    @property
    def data(self) -> bytes:
        """The record as it is stored."""
        return self.model_dump_json().encode()


@dataclass(eq=False)
class Lease:
    """A lease that this process holds or held: a handle for the app's event loop, updated by the renewing thread."""

    key: str
    record: LeaseRecord
    revision: int
    renewed_s: float
    """When the newest successful renewal was sent."""
    ttl_s: float
    clock: Clock
    loop: asyncio.AbstractEventLoop
    """The event loop of the work under the lease."""
    lost: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once another process is known to hold it, or it could not be renewed for very long."""
    is_over: bool = False
    """Whether it was lost or released."""
    write_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held, on the renewing thread, during each write."""

    @property
    def epoch(self) -> int:
        """Larger than that of every earlier holder."""
        return self.record.epoch

    @property
    def unrenewed_s(self) -> float:
        """Seconds since the newest successful renewal was sent."""
        return self.clock() - self.renewed_s

    @property
    def is_given_up(self) -> bool:
        """Whether it was not renewed for so long that it counts as lost."""
        return self.unrenewed_s >= GIVE_UP_TTLS * self.ttl_s

    async def confirm(self) -> None:
        """Return when no other process can hold it, waiting while that is in doubt; raise `LeaseLostError`.

        It counts as lost after a while even if the renewing thread does not notice.
        """
        while not self.is_over and self.unrenewed_s >= self.ttl_s:
            if self.is_given_up:
                self.lose()
            await asyncio.sleep(LOOK_AGAIN_S)
        if self.is_over:
            raise LeaseLostError(f"{self.key} is no longer held by this process (epoch {self.epoch})")

    def lose(self) -> None:
        """Notify the work under the lease."""
        self.is_over = True
        with suppress(RuntimeError):  # its event loop is closed
            self.loop.call_soon_threadsafe(self.lost.set)


class Leases:
    """The leases that one process holds, and what it has seen of those of others."""

    def __init__(
        self,
        service: str,
        store: LeaseStore,
        ttl_s: float,
        clock: Clock = boottime_s,
        note_takeover: Callable[[], None] = lambda: None,
    ) -> None:
        """`note_takeover` is called, on the renewing thread, when a lease was taken from a holder that fell silent."""
        self._holder = f"{service}@{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
        self._store = store
        self._ttl_s = ttl_s
        self._clock = clock
        self._note_takeover = note_takeover
        self._thread = LoopThread(f"{service} renews its leases")
        self._held: dict[str, Lease] = {}
        self._seen: dict[str, tuple[bytes, float]] = {}
        """The newest value of each key, and when this process first saw it."""
        self._acquiring = asyncio.Lock()
        self._renewing = SupervisedTask(f"{service} renews its leases", self._renew_for_ever, ttl_s / RENEWALS_PER_TTL)

    async def start(self) -> None:
        """Connect and begin to renew."""
        await self._thread.start(self._open())

    async def stop(self) -> None:
        """Stop renewing. Other processes take over leases that are still held after their time."""
        await self._thread.stop(self._close)

    async def acquire(self, key: str) -> Lease | None:
        """Take the lease if it is free or was not renewed in time; return None while another process holds it.

        Returns the same lease again while this process holds it. Raises `LeaseStoreUnavailableError`.
        """
        return await self._thread.run(self._acquire(key, asyncio.get_running_loop()))

    async def release(self, lease: Lease, *, for_good: bool = False) -> None:
        """Free the lease at once; `for_good` also removes its key. Does nothing to a lease that was lost."""
        await self._thread.run(self._release(lease, for_good=for_good))

    def problem(self) -> str | None:
        """Return why leases are not renewed, if so."""
        return self._renewing.problem()

    async def _open(self) -> None:
        await self._store.open(self._note_change, self._restart_counting)
        self._renewing.start()

    async def _close(self) -> None:
        await self._renewing.stop()
        await self._store.close()

    def _note_change(self, key: str, value: bytes) -> None:
        if not value:
            self._seen.pop(key, None)
        elif self._seen.get(key, (b"", 0.0))[0] != value:
            self._seen[key] = (value, self._clock())

    def _restart_counting(self) -> None:
        """Count from now on: renewals may have been missed, and holders may have been disconnected as well."""
        now_s = self._clock()
        self._seen = {key: (value, now_s) for key, (value, _) in self._seen.items()}

    async def _acquire(self, key: str, loop: asyncio.AbstractEventLoop) -> Lease | None:
        async with self._acquiring:
            held = self._held.get(key)
            if held is not None and not held.is_over:
                return held
            stored = await self._store.read(key)
            if stored is not None and not self._is_free(key, stored.value):
                return None
            began_s = self._clock()
            before = None if stored is None else LeaseRecord.model_validate_json(stored.value)
            record = LeaseRecord(holder=self._holder, epoch=1 if before is None else before.epoch + 1)
            try:
                revision = await self._store.write(key, record.data, 0 if stored is None else stored.revision)
            except LeaseHeldError:
                return None
            lease = self._held[key] = Lease(key, record, revision, began_s, self._ttl_s, self._clock, loop)
            if before is not None and not before.is_released and before.holder != self._holder:
                self._note_takeover()
            return lease

    def _is_free(self, key: str, value: bytes) -> bool:
        self._note_change(key, value)
        unchanged_s = self._clock() - self._seen[key][1]
        record = LeaseRecord.model_validate_json(value)
        is_ours = record.holder == self._holder  # written by an earlier call whose answer was lost
        return is_ours or record.is_released or unchanged_s >= TAKEOVER_TTLS * self._ttl_s

    async def _release(self, lease: Lease, *, for_good: bool) -> None:
        if self._held.get(lease.key) is not lease:
            return
        del self._held[lease.key]
        lease.is_over = True
        async with lease.write_lock:
            with suppress(LeaseHeldError, LeaseStoreUnavailableError):
                if for_good:
                    await self._store.erase(lease.key, lease.revision)
                else:
                    released = lease.record.model_copy(update={"is_released": True})
                    await self._store.write(lease.key, released.data, lease.revision)

    async def _renew_for_ever(self) -> None:
        while True:
            await asyncio.sleep(self._ttl_s / RENEWALS_PER_TTL)
            await asyncio.gather(*(self._renew(lease) for lease in list(self._held.values())))

    async def _renew(self, lease: Lease) -> None:
        async with lease.write_lock:
            try:
                if not lease.is_over and not await self._write_renewal(lease):
                    self._lose(lease, "another process holds it")
            except Exception as error:  # noqa: BLE001 - a surprise with one lease must not cost the others
                if not isinstance(error, LeaseStoreUnavailableError):
                    _log.warning("lease %s cannot be renewed", lease.key, exc_info=error)
                if lease.is_given_up:
                    self._lose(lease, f"it could not be renewed for {lease.unrenewed_s:.0f} s: {error!r}")

    async def _write_renewal(self, lease: Lease) -> bool:
        """Renew a lease; return False if another process holds it."""
        began_s = self._clock()
        record = lease.record.model_copy(update={"renewals": lease.record.renewals + 1})
        try:
            revision = await self._store.write(lease.key, record.data, lease.revision)
        except LeaseHeldError:
            stored = await self._store.read(lease.key)
            found = None if stored is None else LeaseRecord.model_validate_json(stored.value)
            if found is not None and (found.holder, found.epoch) != (self._holder, lease.epoch):
                return False
            # Our own write, whose answer was lost, or the store is a new one: the next renewal goes on from here.
            lease.revision = 0 if stored is None else stored.revision
            return True
        lease.record, lease.revision, lease.renewed_s = record, revision, began_s
        return True

    def _lose(self, lease: Lease, reason: str) -> None:
        _log.warning("lease %s (epoch %d) is lost: %s", lease.key, lease.epoch, reason)
        if self._held.get(lease.key) is lease:
            del self._held[lease.key]
        lease.lose()
