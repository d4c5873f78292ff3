"""Raw nats-py as two contenders: JetStream publish with acknowledgement, durable pull consumers, explicit acks.

The careful one validates events and lets the first stored win, as the chassis does, but has no look-ups, heartbeats,
retries or dead letters. The bare one sends the same bytes and reads only an id.
"""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from functools import partial
from uuid import UUID, uuid4

import nats
from chassis.settings import BusSettings
from contracts.envelope import Event, outcome_id
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, CellRequested
from contracts.registry import parse
from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig

from perf.messaging.contender import Contender, PendingReplies
from perf.messaging.sample import completed, noted, requested

FETCH_S = 2.0

Work = Callable[[JetStreamContext, Msg], Awaitable[None]]


async def _subscribe(js: JetStreamContext, stream: str, position: str) -> JetStreamContext.PullSubscription:
    """Subscribe to the stream's subjects `<stream>.<position>.>`."""
    config = ConsumerConfig(durable_name=position, ack_policy=AckPolicy.EXPLICIT, max_ack_pending=1000)
    return await js.pull_subscribe(f"{stream}.{position}.>", durable=position, stream=stream, config=config)


async def _consume(js: JetStreamContext, subscription: JetStreamContext.PullSubscription, work: Work) -> None:
    """Process messages one by one until the connection is closed."""
    while True:
        with suppress(NatsTimeoutError):
            for message in await subscription.fetch(1, timeout=FETCH_S):
                await work(js, message)
                await message.ack()


async def _send(js: JetStreamContext, stream: str, position: str, event: Event) -> None:
    """Store an event once: the subject of its id must be empty."""
    subject = f"{event.run_id}.{event.role}.{event.id}"
    headers = {
        "Nats-Msg-Id": str(event.id),
        "Nats-Expected-Last-Subject-Sequence": "0",
        "Nats-Expected-Last-Subject-Sequence-Subject": f"{stream}.*.{subject}",
    }
    await js.publish(f"{stream}.{position}.{subject}", event.model_dump_json().encode(), stream=stream, headers=headers)


def _read(message: Msg, event_class: type[Event]) -> Event:
    return parse(event_class.subject, message.data)


async def _answer(js: JetStreamContext, message: Msg) -> None:
    request = _read(message, CellRequested)
    assert isinstance(request, CellRequested)
    await _send(js, "CAREFUL", "second", completed(request))


async def _note(js: JetStreamContext, message: Msg) -> None:
    answer = _read(message, CellCompleted)
    assert isinstance(answer, CellCompleted)
    await _send(js, "CAREFUL", "requester", noted(answer))


async def _forward(position: str, js: JetStreamContext, message: Msg) -> None:
    id_ = message.subject.rpartition(".")[2]
    await js.publish(f"BARE.{position}.{id_}", message.data, stream="BARE")


class _NatsRequester:
    """Publishes requests and has a durable consumer for the replies."""

    stream: str

    def __init__(self, settings: BusSettings) -> None:
        self._url = settings.nats_url
        self._pending = PendingReplies()
        self._run_id = uuid4()
        self._closing = AsyncExitStack()

    async def start(self) -> None:
        """Connect and subscribe."""
        client = await nats.connect(self._url)
        self._closing.push_async_callback(client.close)
        self._js = client.jetstream()
        subscription = await _subscribe(self._js, self.stream, "requester")
        self._reading = asyncio.create_task(_consume(self._js, subscription, self._receive))

    async def stop(self) -> None:
        """Close."""
        await self._closing.aclose()
        with suppress(ConnectionClosedError):
            await self._reading

    async def _receive(self, _: JetStreamContext, message: Msg) -> None:
        raise NotImplementedError


class CarefulRequester(_NatsRequester):
    """Publishes validated events."""

    stream = "CAREFUL"

    async def request(self, step: int) -> None:
        """Publish a request and wait until the event of the second service arrives."""
        message = requested(self._run_id, step)
        reply = self._pending.expect(outcome_id(message.id))
        await _send(self._js, self.stream, "first", message)
        await reply

    async def _receive(self, _: JetStreamContext, message: Msg) -> None:
        self._pending.resolve(_read(message, JournalEntryAdded).causation_id)


class BareRequester(_NatsRequester):
    """Publishes bytes without validation."""

    stream = "BARE"

    async def request(self, step: int) -> None:
        """Publish bytes and wait until they come back."""
        message = requested(self._run_id, step)
        reply = self._pending.expect(message.id)
        await self._js.publish(f"BARE.first.{message.id}", message.model_dump_json().encode(), stream=self.stream)
        await reply

    async def _receive(self, _: JetStreamContext, message: Msg) -> None:
        self._pending.resolve(UUID(message.subject.rpartition(".")[2]))


async def _serve(stream: str, works: dict[str, Work], position: str, settings: BusSettings) -> None:
    client = await nats.connect(settings.nats_url)
    try:
        js = client.jetstream()
        subscription = await _subscribe(js, stream, position)
        print("ready", flush=True)
        await _consume(js, subscription, works[position])
    finally:
        await client.close()


CAREFUL = Contender(
    "raw nats-py, careful",
    "validated, first stored wins; no look-ups, heartbeats, traces or dead letters",
    CarefulRequester,
    partial(_serve, "CAREFUL", {"first": _answer, "second": _note}),
)
BARE = Contender(
    "raw nats-py, bare",
    "bytes; at least once, no deduplication",
    BareRequester,
    partial(_serve, "BARE", {"first": partial(_forward, "second"), "second": partial(_forward, "requester")}),
)
STREAMS = ("CAREFUL", "BARE")
