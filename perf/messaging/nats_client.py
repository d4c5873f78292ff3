"""Raw nats-py: JetStream publish with acknowledgement, durable pull consumers, explicit acks.

The careful one reads the language and lets the first stored win, as the chassis does, but looks nothing up and has no
heartbeat, no retries and no dead letters. The bare one sends the same bytes and reads nothing but an id.
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

from perf.messaging.contender import Awaited, Rival
from perf.messaging.sample import completed, noted, requested

FETCH_S = 2.0

Work = Callable[[JetStreamContext, Msg], Awaitable[None]]


async def _subscribe(js: JetStreamContext, stream: str, place: str) -> JetStreamContext.PullSubscription:
    """Listen to the stream's subjects `<stream>.<place>.>`."""
    config = ConsumerConfig(durable_name=place, ack_policy=AckPolicy.EXPLICIT, max_ack_pending=1000)
    return await js.pull_subscribe(f"{stream}.{place}.>", durable=place, stream=stream, config=config)


async def _consume(js: JetStreamContext, subscription: JetStreamContext.PullSubscription, work: Work) -> None:
    """Take one message after another, until the connection is closed."""
    while True:
        with suppress(NatsTimeoutError):
            for message in await subscription.fetch(1, timeout=FETCH_S):
                await work(js, message)
                await message.ack()


async def _send(js: JetStreamContext, stream: str, place: str, event: Event) -> None:
    """Store an event once: the place of its id has to be empty."""
    where = f"{event.run_id}.{event.role}.{event.id}"
    headers = {
        "Nats-Msg-Id": str(event.id),
        "Nats-Expected-Last-Subject-Sequence": "0",
        "Nats-Expected-Last-Subject-Sequence-Subject": f"{stream}.*.{where}",
    }
    await js.publish(f"{stream}.{place}.{where}", event.model_dump_json().encode(), stream=stream, headers=headers)


def _read(message: Msg, event_class: type[Event]) -> Event:
    return parse(event_class.subject, message.data)


async def _answer(js: JetStreamContext, message: Msg) -> None:
    request = _read(message, CellRequested)
    assert isinstance(request, CellRequested)
    await _send(js, "CAREFUL", "second", completed(request))


async def _note(js: JetStreamContext, message: Msg) -> None:
    answer = _read(message, CellCompleted)
    assert isinstance(answer, CellCompleted)
    await _send(js, "CAREFUL", "asker", noted(answer))


async def _pass_on(place: str, js: JetStreamContext, message: Msg) -> None:
    id_ = message.subject.rpartition(".")[2]
    await js.publish(f"BARE.{place}.{id_}", message.data, stream="BARE")


class _NatsAsker:
    """Publishes, and has a durable consumer of its own for what comes back."""

    stream: str

    def __init__(self, settings: BusSettings) -> None:
        self._url = settings.nats_url
        self._awaited = Awaited()
        self._run_id = uuid4()
        self._closing = AsyncExitStack()

    async def start(self) -> None:
        """Connect, and listen."""
        client = await nats.connect(self._url)
        self._closing.push_async_callback(client.close)
        self._js = client.jetstream()
        subscription = await _subscribe(self._js, self.stream, "asker")
        self._reading = asyncio.create_task(_consume(self._js, subscription, self._hear))

    async def stop(self) -> None:
        """Close."""
        await self._closing.aclose()
        with suppress(ConnectionClosedError):
            await self._reading

    async def _hear(self, _: JetStreamContext, message: Msg) -> None:
        raise NotImplementedError


class CarefulAsker(_NatsAsker):
    """Speaks the language."""

    stream = "CAREFUL"

    async def ask(self, step: int) -> None:
        """Publish a request and wait until the second service's word about it has been heard."""
        request = requested(self._run_id, step)
        heard = self._awaited.expect(outcome_id(request.id))
        await _send(self._js, self.stream, "first", request)
        await heard

    async def _hear(self, _: JetStreamContext, message: Msg) -> None:
        self._awaited.come(_read(message, JournalEntryAdded).causation_id)


class BareAsker(_NatsAsker):
    """Sends bytes."""

    stream = "BARE"

    async def ask(self, step: int) -> None:
        """Publish bytes and wait until they have come back."""
        request = requested(self._run_id, step)
        heard = self._awaited.expect(request.id)
        await self._js.publish(f"BARE.first.{request.id}", request.model_dump_json().encode(), stream=self.stream)
        await heard

    async def _hear(self, _: JetStreamContext, message: Msg) -> None:
        self._awaited.come(UUID(message.subject.rpartition(".")[2]))


async def _serve(stream: str, works: dict[str, Work], place: str, settings: BusSettings) -> None:
    client = await nats.connect(settings.nats_url)
    try:
        js = client.jetstream()
        subscription = await _subscribe(js, stream, place)
        print("ready", flush=True)
        await _consume(js, subscription, works[place])
    finally:
        await client.close()


CAREFUL = Rival(
    "raw nats-py, careful",
    "validated, first stored wins; no look-ups, heartbeats, traces or dead letters",
    CarefulAsker,
    partial(_serve, "CAREFUL", {"first": _answer, "second": _note}),
)
BARE = Rival(
    "raw nats-py, bare",
    "bytes; at least once, nothing recognised as a repetition",
    BareAsker,
    partial(_serve, "BARE", {"first": partial(_pass_on, "second"), "second": partial(_pass_on, "asker")}),
)
STREAMS = ("CAREFUL", "BARE")
