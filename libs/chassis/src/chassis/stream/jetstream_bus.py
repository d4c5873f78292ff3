"""`chassis.bus.Bus` on JetStream."""

import asyncio
import logging
from collections.abc import AsyncIterator
from functools import partial
from uuid import UUID

from contracts.envelope import Event, Request, Role, outcome_id
from contracts.events.run import EngineeringStarted
from contracts.registry import ENDINGS, UnknownSubjectError, class_at
from faststream.nats import NatsBroker
from nats.aio.client import Client
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg

from chassis.bus import E, Fence, RunQueue
from chassis.errors import FutureVersionError, UnreadableError
from chassis.observability.tracing import Tracing
from chassis.stream.large_fields import LargeFields
from chassis.stream.parser import parse_message
from chassis.stream.publisher import store
from chassis.stream.reads import (
    jetstream_of,
    last_message,
    next_message,
    poll_until_found,
    published_on,
    wait_until_found,
)
from chassis.stream.run_queue import RunQueueReader, start_headers
from chassis.subjects import end_filters, id_filter, run_filter

_log = logging.getLogger(__name__)


class JetStreamBus:
    """`chassis.bus.Bus` on a server. Usable once its app has connected it."""

    def __init__(self, broker: NatsBroker, tracing: Tracing, large_fields: LargeFields) -> None:
        self.requires_readable = False
        """Whether `find`, `latest` and `history` raise for an event of a newer version; see `App`."""
        self._broker = broker
        self._large_fields = large_fields
        self._tracing = tracing
        self._client: Client | None = None
        self._run_queue = RunQueueReader()

    def use(self, client: Client) -> None:
        """Take the broker's connection."""
        self._client = client

    @property
    def client(self) -> Client:
        """The connection; raises `RuntimeError` before the app has started."""
        if self._client is None:
            raise RuntimeError("the bus is not connected: `await app.start()` comes first")
        return self._client

    @property
    def js(self) -> JetStreamContext:
        """JetStream by raw nats-py, for what FastStream does not offer."""
        return jetstream_of(self.client)

    async def publish(self, event: Event, fence: Fence | None = None) -> bool:
        """See `Bus.publish`."""
        with self._tracing.publishing(event) as trace_headers:
            data = await self._large_fields.encode(event)
            return await store(self._broker, self.client, event, data, trace_headers, fence)

    async def find(self, run_id: UUID, role: Role, id: UUID) -> Event | None:  # noqa: A002 - the envelope's name for it
        """See `Bus.find`."""
        return await self._last(id_filter(run_id, role, id))

    async def is_stored(self, run_id: UUID, role: Role, id: UUID) -> bool:  # noqa: A002
        """See `Bus.is_stored`."""
        return await last_message(self.client, id_filter(run_id, role, id)) is not None

    async def latest(self, event_class: type[E], run_id: UUID, role: Role | None = None) -> E | None:
        """See `Bus.latest`."""
        event = await self._last(f"{event_class.subject}.{run_id}.{role or '*'}.*")
        return event if isinstance(event, event_class) else None

    async def ask(self, request: Request) -> Event:
        """See `Bus.ask`."""
        await self.publish(request)
        answer_id = outcome_id(request.id)

        async def outcome_or_end() -> Event | None:
            outcome = await self.find(request.run_id, request.role, answer_id)
            return outcome or await self.ended(request.run_id)

        return await wait_until_found(outcome_or_end, self.client, id_filter(request.run_id, request.role, answer_id))

    async def ended(self, run_id: UUID) -> Event | None:
        """See `Bus.ended`."""
        filters = end_filters(run_id)
        messages = await asyncio.gather(*(last_message(self.client, each) for each in filters))
        if not any(messages):
            return None
        ends = [await self._parse(message) for message in messages if message is not None and _is_end(message)]
        end = next((each for each in ends if each is not None), None)
        if end is not None:
            return end
        # The last message under each filter is malformed, or of a class that does not end a run.
        found = [await self.latest(ending, run_id) for ending in ENDINGS]
        return next((each for each in found if each is not None), None)

    async def has_ended(self, run_id: UUID) -> bool:
        """See `Bus.has_ended`."""
        try:
            return await self.ended(run_id) is not None
        except FutureVersionError:
            return True

    async def wait_for_end(self, run_id: UUID) -> Event:
        """See `Bus.wait_for_end`; the end of a run that is not of engineering is found by polling."""
        return await wait_until_found(lambda: self.ended(run_id), self.client, end_filters(run_id)[0])

    async def queue(self) -> RunQueue:
        """See `Bus.queue`."""
        return await self._run_queue.read(self.client)

    async def start_run(self, started: EngineeringStarted, queue: RunQueue) -> bool:
        """See `Bus.start_run`."""
        with self._tracing.publishing(started) as headers:
            data = await self._large_fields.encode(started)
            condition = start_headers(queue)
            return await store(self._broker, self.client, started, data, headers, expectation=condition)

    async def history(self, run_id: UUID) -> list[Event]:
        """See `Bus.history`."""
        events: list[Event] = []
        sequence = 0
        while (message := await next_message(self.client, run_id, sequence)) is not None:
            sequence = message.seq or 0
            if (event := await self._parse(message, self.requires_readable)) is not None:
                events.append(event)
        return events

    async def follow(self, run_id: UUID, linger_s: float = 0.0) -> AsyncIterator[Event]:
        """See `Bus.follow`."""
        sequence = 0
        deadline: float | None = None
        async with published_on(self.client, run_filter(run_id)) as published:
            while True:
                find_next = partial(next_message, self.client, run_id, sequence)
                try:
                    async with asyncio.timeout_at(deadline):
                        message = await poll_until_found(find_next, published)
                except TimeoutError:
                    return
                sequence = message.seq or 0
                event = await self._parse(message)
                if event is None:
                    continue
                yield event
                if isinstance(event, ENDINGS):
                    deadline = asyncio.get_running_loop().time() + linger_s

    async def _last(self, subject: str) -> Event | None:
        message = await last_message(self.client, subject)
        return None if message is None else await self._parse(message, self.requires_readable)

    async def _parse(self, message: RawStreamMsg, requires_readable: bool = False) -> Event | None:
        """Return the event; None for one that cannot be read, which the service that owns its class reports.

        Raises `FutureVersionError` for the end of a run that is of a newer version, since None would deny the end; for
        any event of a newer version if `requires_readable`.
        """
        try:
            return await self._large_fields.restore(parse_message(message.subject or "", message.data or b""))
        except UnreadableError as error:
            if isinstance(error, FutureVersionError) and (requires_readable or _is_end(message)):
                raise
            _log.warning("message %s on %s is unreadable and left out: %s", message.seq, message.subject, error)
            return None


def _is_end(message: RawStreamMsg) -> bool:
    try:
        return class_at(message.subject or "") in ENDINGS
    except UnknownSubjectError:
        return False
