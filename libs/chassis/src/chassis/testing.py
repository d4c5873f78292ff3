"""A bus and a lease store in memory, for tests of handlers and roles."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from contracts.envelope import Event, Request, Role, outcome_id
from contracts.events.run import EngineeringRequested, EngineeringStarted
from contracts.registry import ENDINGS, parse

from chassis.bus import E, Fence, RunQueue
from chassis.leases.lease import LeaseHeldError, LeaseStoreUnavailableError, OnChange, StoredValue
from chassis.stream.large_fields import BlobStore, LargeFields

R = TypeVar("R", bound=Request)

EventKey = tuple[UUID, str, UUID]
"""Run, role and id: at most one event is stored under it."""


class FakeBus:
    """`chassis.bus.Bus` without a server: the first stored event wins, and each is encoded as JSON."""

    def __init__(self, blobs: BlobStore | None = None) -> None:
        self.events: list[Event] = []
        """Every stored event as it was encoded, in the order of the log."""
        self._large_fields = LargeFields(blobs)
        self._by_key: dict[EventKey, Event] = {}
        self._handlers: dict[type[Request], Callable[[Any], Awaitable[Event]]] = {}
        self._published = asyncio.Condition()

    def answers(self, request: type[R], handler: Callable[[R], Awaitable[Event]]) -> None:
        """Let `handler` answer requests of this class, when they come by `ask`."""
        self._handlers[request] = handler

    async def publish(self, event: Event, fence: Fence | None = None) -> bool:
        """See `Bus.publish`."""
        key = (event.run_id, event.role, event.id)
        stored = parse(event.full_subject, await self._large_fields.encode(event))
        if fence is not None:
            await fence()
        if key in self._by_key:
            return False
        self._by_key[key] = stored
        self.events.append(stored)
        async with self._published:
            self._published.notify_all()
        return True

    def lose_after(self, count: int) -> None:
        """Keep only the first `count` events, like a server that lost what it had not written to disk."""
        for event in self.events[count:]:
            del self._by_key[event.run_id, event.role, event.id]
        del self.events[count:]

    async def find(self, run_id: UUID, role: Role, id: UUID) -> Event | None:  # noqa: A002 - the envelope's name for it
        """See `Bus.find`."""
        stored = self._by_key.get((run_id, role, id))
        return None if stored is None else await self._large_fields.restore(stored)

    async def is_stored(self, run_id: UUID, role: Role, id: UUID) -> bool:  # noqa: A002
        """See `Bus.is_stored`."""
        return (run_id, role, id) in self._by_key

    async def latest(self, event_class: type[E], run_id: UUID, role: Role | None = None) -> E | None:
        """See `Bus.latest`."""
        for event in reversed(self.events):
            if isinstance(event, event_class) and event.run_id == run_id and role in (None, event.role):
                return await self._large_fields.restore(event)
        return None

    async def ask(self, request: Request) -> Event:
        """See `Bus.ask`; the handler that `answers` the request is called."""
        await self.publish(request)
        key = (request.run_id, request.role, outcome_id(request.id))
        handler = self._handlers.get(type(request))
        if handler is not None and key not in self._by_key and not self._end_of(request.run_id):
            await self.publish(await handler(request))
        async with self._published:
            answer = await self._published.wait_for(lambda: self._by_key.get(key) or self._end_of(request.run_id))
        assert answer is not None
        return await self._large_fields.restore(answer)

    async def ended(self, run_id: UUID) -> Event | None:
        """See `Bus.ended`."""
        end = self._end_of(run_id)
        return None if end is None else await self._large_fields.restore(end)

    async def has_ended(self, run_id: UUID) -> bool:
        """See `Bus.has_ended`."""
        return self._end_of(run_id) is not None

    async def wait_for_end(self, run_id: UUID) -> Event:
        """See `Bus.wait_for_end`."""
        async for event in self.follow(run_id):
            if isinstance(event, ENDINGS):
                return event
        raise AssertionError("`follow` goes on until the end of the run")

    async def queue(self) -> RunQueue:
        """See `Bus.queue`."""
        requested = [event.run_id for event in self.events if isinstance(event, EngineeringRequested)]
        started = {event.run_id for event in self.events if isinstance(event, EngineeringStarted)}
        ended = {event.run_id for event in self.events if isinstance(event, ENDINGS)}
        waiting = tuple(run_id for run_id in requested if run_id not in started | ended)
        return RunQueue(waiting, frozenset(started - ended), last_start=len(started))

    async def start_run(self, started: EngineeringStarted, queue: RunQueue) -> bool:
        """See `Bus.start_run`."""
        return (await self.queue()).last_start == queue.last_start and await self.publish(started)

    async def history(self, run_id: UUID) -> list[Event]:
        """See `Bus.history`."""
        return [await self._large_fields.restore(event) for event in self.events if event.run_id == run_id]

    async def follow(self, run_id: UUID, linger_s: float = 0.0) -> AsyncIterator[Event]:
        """See `Bus.follow`."""
        seen = 0
        deadline: float | None = None
        while True:
            try:
                async with asyncio.timeout_at(deadline), self._published:
                    await self._published.wait_for(partial(self._has_more_than, seen))
            except TimeoutError:
                return
            event = self.events[seen]
            seen += 1
            if event.run_id != run_id:
                continue
            yield await self._large_fields.restore(event)
            if isinstance(event, ENDINGS):
                deadline = asyncio.get_running_loop().time() + linger_s

    def _has_more_than(self, count: int) -> bool:
        return len(self.events) > count

    def _end_of(self, run_id: UUID) -> Event | None:
        return next((event for event in self.events if event.run_id == run_id and isinstance(event, ENDINGS)), None)


class FakeLeaseStore:
    """The values of a lease store in memory, shared by its clients."""

    def __init__(self) -> None:
        self.values: dict[str, StoredValue] = {}
        self._revision = 0
        self._clients: list[FakeLeaseClient] = []
        self.lock = threading.Lock()

    def client(self) -> "FakeLeaseClient":
        """Return the store as one process uses it."""
        client = FakeLeaseClient(self)
        self._clients.append(client)
        return client

    def put(self, key: str, value: bytes, last_revision: int) -> int:
        """Overwrite a revision, or erase the key by an empty value, and notify all clients; return the new revision."""
        with self.lock:
            stored = self.values.get(key)
            if (0 if stored is None else stored.revision) != last_revision:
                raise LeaseHeldError(key)
            self._revision += 1
            if value:
                self.values[key] = StoredValue(self._revision, value)
            else:
                del self.values[key]
            revision = self._revision
        for client in self._clients:
            client.notify(key, value)
        return revision


class FakeLeaseClient:
    """`chassis.leases.lease.LeaseStore` on a `FakeLeaseStore`; each client can be disconnected by itself."""

    def __init__(self, store: FakeLeaseStore) -> None:
        self._store = store
        self._loop: asyncio.AbstractEventLoop | None = None
        self._on_change: OnChange | None = None
        self.is_unavailable = False
        """Whether the store neither answers nor notifies."""
        self.loses_answers = False
        """Whether writes are stored although their answer is lost."""
        self.surprises: set[str] = set()
        """Keys that cannot be written, by an error that none expects."""
        self.on_written: Callable[[], None] | None = None
        """Called between a write and its answer."""

    async def open(self, on_change: OnChange, on_reconnect: Callable[[], None]) -> None:  # noqa: ARG002 - never called
        """See `LeaseStore.open`."""
        self._loop, self._on_change = asyncio.get_running_loop(), on_change

    async def close(self) -> None:
        """See `LeaseStore.close`."""
        self._on_change = None

    async def read(self, key: str) -> StoredValue | None:
        """See `LeaseStore.read`."""
        self._require_available()
        return self._store.values.get(key)

    async def write(self, key: str, value: bytes, last_revision: int) -> int:
        """See `LeaseStore.write`."""
        self._require_available()
        if key in self.surprises:
            raise RuntimeError(f"{key} surprises")
        revision = self._store.put(key, value, last_revision)
        if self.on_written is not None:
            self.on_written()
        if self.loses_answers:
            raise LeaseStoreUnavailableError("the answer is lost")
        return revision

    async def erase(self, key: str, last_revision: int) -> None:
        """See `LeaseStore.erase`."""
        self._require_available()
        self._store.put(key, b"", last_revision)

    def notify(self, key: str, value: bytes) -> None:
        """Report a write to this client's process."""
        if self._loop is None or self._on_change is None or self.is_unavailable or self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._on_change, key, value)

    def _require_available(self) -> None:
        if self.is_unavailable:
            raise LeaseStoreUnavailableError("this client is disconnected")
