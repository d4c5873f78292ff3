"""A bus and a ledger of leases in memory, for tests of handlers and roles."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from contracts.envelope import Event, Request, Role, outcome_id
from contracts.registry import parse

from chassis.bus import ENDINGS, E
from chassis.leases.lease import Fence, LeaseHeldError, LeaseStoreUnavailableError, OnChange, StoredValue
from chassis.stream.large_fields import BlobStore, LargeFields

R = TypeVar("R", bound=Request)

Place = tuple[UUID, str, UUID]


class FakeBus:
    """`chassis.bus.Bus` without a server: the first stored wins, and everything travels as JSON."""

    def __init__(self, blobs: BlobStore | None = None) -> None:
        self.events: list[Event] = []
        """Everything stored, as it travelled, in the order of the log."""
        self._large_fields = LargeFields(blobs)
        self._places: dict[Place, Event] = {}
        self._answers: dict[type[Request], Callable[[Any], Awaitable[Event]]] = {}
        self._stirred = asyncio.Condition()

    def answers(self, request: type[R], handler: Callable[[R], Awaitable[Event]]) -> None:
        """Let `handler` answer those who ask."""
        self._answers[request] = handler

    async def publish(self, event: Event, fence: Fence | None = None) -> bool:
        """Store `event` unless its id is taken. See `Bus.publish`."""
        place = (event.run_id, event.role, event.id)
        stored = parse(event.full_subject, await self._large_fields.encode(event))
        if fence is not None:
            await fence()
        if place in self._places:
            return False
        self._places[place] = stored
        self.events.append(stored)
        async with self._stirred:
            self._stirred.notify_all()
        return True

    async def find(self, run_id: UUID, role: Role, id: UUID) -> Event | None:  # noqa: A002 - the envelope's word
        """Return what is stored under this id. See `Bus.find`."""
        stored = self._places.get((run_id, role, id))
        return None if stored is None else await self._large_fields.restore(stored)

    async def latest(self, event_class: type[E], run_id: UUID, role: Role | None = None) -> E | None:
        """Return the newest event of a class in a run. See `Bus.latest`."""
        for event in reversed(self.events):
            if isinstance(event, event_class) and event.run_id == run_id and role in (None, event.role):
                return await self._large_fields.restore(event)
        return None

    async def ask(self, request: Request) -> Event:
        """Publish, let the registered handler answer if there is one, and wait for the outcome. See `Bus.ask`."""
        await self.publish(request)
        place = (request.run_id, request.role, outcome_id(request.id))
        handler = self._answers.get(type(request))
        if handler is not None and place not in self._places and not self._end_of(request.run_id):
            await self.publish(await handler(request))
        async with self._stirred:
            answer = await self._stirred.wait_for(lambda: self._places.get(place) or self._end_of(request.run_id))
        assert answer is not None
        return await self._large_fields.restore(answer)

    async def ended(self, run_id: UUID) -> Event | None:
        """Return the event that ended the run. See `Bus.ended`."""
        end = self._end_of(run_id)
        return None if end is None else await self._large_fields.restore(end)

    async def wait_for_end(self, run_id: UUID) -> Event:
        """Wait for the end of a run. See `Bus.until_ended`."""
        async for event in self.follow(run_id):
            if isinstance(event, ENDINGS):
                return event
        raise AssertionError("a followed run goes on until its end")

    async def history(self, run_id: UUID) -> list[Event]:
        """Return the run so far. See `Bus.history`."""
        return [await self._large_fields.restore(event) for event in self.events if event.run_id == run_id]

    async def follow(self, run_id: UUID, linger_s: float = 0.0) -> AsyncIterator[Event]:
        """Yield the run as it happens. See `Bus.follow`."""
        seen = 0
        deadline: float | None = None
        while True:
            try:
                async with asyncio.timeout_at(deadline), self._stirred:
                    await self._stirred.wait_for(partial(self._has_more_than, seen))
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
    """`chassis.leases.lease.Ledger` without a server, shared by all `sides` of it, each of which can be cut off."""

    def __init__(self) -> None:
        self.values: dict[str, StoredValue] = {}
        self._revision = 0
        self._listeners: list[FakeLeaseClient] = []
        self.lock = threading.Lock()

    def client(self) -> "FakeLeaseClient":
        """Return what one process sees of it."""
        side = FakeLeaseClient(self)
        self._listeners.append(side)
        return side

    def put(self, key: str, value: bytes, last_revision: int) -> int:
        """Write, and tell everybody."""
        with self.lock:
            stands = self.values.get(key)
            if (0 if stands is None else stands.revision) != last_revision:
                raise LeaseHeldError(key)
            self._revision += 1
            if value:
                self.values[key] = StoredValue(self._revision, value)
            else:
                del self.values[key]
            revision = self._revision
        for side in self._listeners:
            side.notify(key, value)
        return revision


class FakeLeaseClient:
    """One process' end of a ledger."""

    def __init__(self, ledger: FakeLeaseStore) -> None:
        self._ledger = ledger
        self._loop: asyncio.AbstractEventLoop | None = None
        self._hear: OnChange | None = None
        self.is_unavailable = False
        """Whether the ledger does not answer, and is not heard."""
        self.loses_answers = False
        """Whether what is written stands, though the answer is lost."""

    async def open(self, hear: OnChange, reconnected: Callable[[], None]) -> None:  # noqa: ARG002 - nothing is ever missed
        """Begin to hear."""
        self._loop, self._hear = asyncio.get_running_loop(), hear

    async def close(self) -> None:
        """Hear no more."""
        self._hear = None

    async def read(self, key: str) -> StoredValue | None:
        """Return the newest value. See `Ledger.read`."""
        self._answer()
        return self._ledger.values.get(key)

    async def write(self, key: str, value: bytes, last_revision: int) -> int:
        """Write over a revision. See `Ledger.write`."""
        self._answer()
        revision = self._ledger.put(key, value, last_revision)
        if self.loses_answers:
            raise LeaseStoreUnavailableError("the answer is lost")
        return revision

    async def erase(self, key: str, last_revision: int) -> None:
        """Take out what stands there. See `Ledger.erase`."""
        self._answer()
        self._ledger.put(key, b"", last_revision)

    def notify(self, key: str, value: bytes) -> None:
        """Let this side hear what was written."""
        if self._loop is not None and self._hear is not None and not self.is_unavailable and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._hear, key, value)

    def _answer(self) -> None:
        if self.is_unavailable:
            raise LeaseStoreUnavailableError("it was cut off")
