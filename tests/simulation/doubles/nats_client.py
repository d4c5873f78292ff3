"""Clients of the NATS server in memory, with the names and errors of nats-py and FastStream that the chassis uses."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, TypeVar

from chassis.leases.bucket import BUCKET
from chassis.subjects import STREAM, SUBJECTS
from nats import errors
from nats.aio.msg import Msg
from nats.js.api import ConsumerConfig
from nats.js.errors import APIError, KeyNotFoundError, KeyWrongLastSequenceError

from tests.simulation.doubles.nats_server import Delivery, NatsServer, Stored
from tests.simulation.doubles.network import Network
from tests.simulation.event_loop import Process, current_process

T = TypeVar("T")

UNEXPECTED = 10999
PULL_AGAIN_S = 2.0
"""After a restart of the server, or without a consumer, a puller asks again within this time."""


@dataclass
class Wire:
    """How this cluster's processes reach its server."""

    network: Network
    server: NatsServer

    async def call(self, action: Callable[[], T]) -> T:
        """Ask the server; raise nats-py's `TimeoutError` when no answer comes in time."""
        return await self.network.call(action, errors.TimeoutError)

    def send(self, action: Callable[[], None], loss_rate: float = 0.0) -> None:
        """Let the server take `action`, without an answer."""
        self.network.send(action, loss_rate)


class FakeClient:
    """`nats.aio.client.Client`."""

    max_payload = 1024 * 1024

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.stats = {"reconnects": 0}
        self.is_closed = False
        self._reconnected: Callable[[], Awaitable[None]] | None = None
        self._process: Process | None = None
        self._subscriptions: list[FakeSubscription] = []

    async def connect(
        self, _servers: str = "", reconnected_cb: Callable[[], Awaitable[None]] | None = None, **_options: Any
    ) -> None:
        """Connect, as soon as the server answers."""
        self._reconnected, self._process = reconnected_cb, current_process()
        while True:
            try:
                await self._wire.call(lambda: None)
                break
            except errors.TimeoutError:
                continue
        self._wire.server.on_restart.append(self.reconnect)

    def reconnect(self) -> None:
        """Connect again after the connection was lost."""
        process = self._process
        if self.is_closed or (process is not None and not process.is_alive):
            return
        self.stats["reconnects"] += 1
        if self._reconnected is not None and process is not None:
            self._wire.network.loop.spawn(process, _await(self._reconnected()))

    async def close(self) -> None:
        """Close for good."""
        self.is_closed = True
        if self.reconnect in self._wire.server.on_restart:
            self._wire.server.on_restart.remove(self.reconnect)
        for subscription in self._subscriptions:
            subscription.end()

    def jetstream(self, **_options: Any) -> "FakeJetStream":
        """Return JetStream over this connection."""
        return FakeJetStream(self._wire)

    async def request(self, subject: str, payload: bytes, **_options: Any) -> Any:
        """Return a page of the stream's list of subjects: the only request that the chassis makes by itself."""
        assert subject == f"$JS.API.STREAM.INFO.{STREAM}", subject
        asked = json.loads(payload)
        found = await self._wire.call(lambda: self._wire.server.subjects(asked["subjects_filter"]))
        page = dict(sorted(found.items())[asked["offset"] :])
        return SimpleNamespace(data=json.dumps({"total": len(found), "state": {"subjects": page}}))

    async def publish(self, subject: str, payload: bytes = b"", **_options: Any) -> None:
        """Send an acknowledgement, or a plain message."""
        server, rates = self._wire.server, self._wire.network.rates
        if subject.startswith("$JS.ACK."):
            self._wire.send(lambda: server.acknowledge(subject, payload), rates.lost_acks)
        else:
            self._wire.send(lambda: server.notify(subject, payload))

    async def subscribe(
        self, subject: str, cb: Callable[[Msg], Awaitable[None]], **_options: Any
    ) -> "FakeSubscription":
        """Call `cb` with each message that is published on the subject from now on."""
        subscription = FakeSubscription(self._wire, self, subject, cb)
        self._subscriptions.append(subscription)
        return subscription


async def _await(awaitable: Awaitable[None]) -> None:
    await awaitable


class FakeSubscription:
    """`nats.aio.subscription.Subscription`."""

    def __init__(
        self, wire: Wire, client: FakeClient, pattern: str, callback: Callable[[Msg], Awaitable[None]]
    ) -> None:
        self._wire, self._client, self._callback = wire, client, callback
        self._process = current_process()
        wire.server.listeners[self] = (pattern, self._notify)
        if self._process is not None:
            self._process.on_death.append(self.end)

    def end(self) -> None:
        """Receive nothing more."""
        self._wire.server.listeners.pop(self, None)

    async def unsubscribe(self) -> None:
        """See nats-py."""
        self.end()

    def _notify(self, subject: str, data: bytes) -> None:
        network, process = self._wire.network, self._process
        if process is None or network.is_cut_off(process) or network.strikes(network.rates.lost_deliveries):
            return

        def arrive() -> None:
            if self in self._wire.server.listeners:
                message = Msg(self._client, subject, "", data)  # pyright: ignore[reportArgumentType] - stands in for it
                network.loop.spawn(process, _await(self._callback(message)))

        network.later(network.latency_s(), arrive)


@dataclass(frozen=True)
class RawMessage:
    """`nats.js.api.RawStreamMsg`."""

    subject: str
    seq: int
    data: bytes
    headers: Mapping[str, str]

    @classmethod
    def of(cls, stored: Stored) -> "RawMessage":
        """Return a stored message as nats-py does."""
        return cls(stored.subject, stored.sequence, stored.data, stored.headers)


class FakeJetStream:
    """`nats.js.JetStreamContext`."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._server = wire.server

    async def stream_info(self, name: str, **_options: Any) -> Any:
        """Return what the chassis reads of the stream's state."""

        def read() -> Any:
            last = len(self._server.log)
            state = SimpleNamespace(messages=last, last_seq=last, first_seq=1)
            return SimpleNamespace(config=SimpleNamespace(name=name, subjects=[SUBJECTS]), state=state)

        return await self._wire.call(read)

    async def add_consumer(self, _stream: str, config: ConsumerConfig) -> None:
        """Create or update a consumer."""
        await self._wire.call(lambda: self._server.add_consumer(config))

    async def delete_consumer(self, _stream: str, name: str) -> bool:
        """Remove a consumer."""
        return await self._wire.call(lambda: self._server.delete_consumer(name))

    async def consumer_info(self, _stream: str, name: str) -> Any:
        """Return what the chassis reads of a consumer's state."""

        def read() -> Any:
            consumer = self._server.consumer(name)
            return SimpleNamespace(
                name=name,
                config=consumer.config,
                num_pending=self._server.remaining(consumer),
                num_ack_pending=len(consumer.pending),
            )

        return await self._wire.call(read)

    async def get_last_msg(self, stream: str, subject: str) -> RawMessage:
        """Return the newest message under a filter."""
        find = self._server.require_last if stream == STREAM else self._server.require_record
        return RawMessage.of(await self._wire.call(lambda: find(subject)))

    async def publish(self, subject: str, payload: bytes, **_options: Any) -> None:
        """Store a record in one of the other streams."""
        await self._wire.call(lambda: self._server.records.update({subject: payload}))

    async def get_msg(
        self,
        _stream: str,
        seq: int,
        subject: str | None = None,
        next: bool = False,  # noqa: A002 - nats-py's name
    ) -> RawMessage:
        """Return a message by its number, or the first one from it on."""
        pattern = subject if next else None
        return RawMessage.of(await self._wire.call(lambda: self._server.require_at(seq, pattern)))

    async def key_value(self, _bucket: str) -> "FakeKeyValue":
        """Return the bucket."""
        return FakeKeyValue(self._wire)


class FakeKeyValue:
    """`nats.js.kv.KeyValue`."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def get(self, key: str) -> Any:
        """Return the newest entry; raise `KeyNotFoundError`."""
        found = await self._wire.call(lambda: self._wire.server.read_value(key))
        if found is None:
            raise KeyNotFoundError
        return SimpleNamespace(revision=found[0], value=found[1], key=key, bucket=BUCKET)

    async def create(self, key: str, value: bytes) -> int:
        """Write a key that does not exist."""
        return await self._write(key, value, 0)

    async def update(self, key: str, value: bytes, last: int) -> int:
        """Overwrite a revision."""
        return await self._write(key, value, last)

    async def delete(self, key: str, last: int) -> bool:
        """Remove a key."""
        await self._write(key, b"", last)
        return True

    async def _write(self, key: str, value: bytes, last: int) -> int:
        network = self._wire.network
        if network.strikes(network.rates.lease_errors):
            raise APIError(code=400, err_code=UNEXPECTED, description="the bucket is unwell")
        revision = await self._wire.call(lambda: self._wire.server.write_value(key, value, last))
        if revision is None:
            raise KeyWrongLastSequenceError("wrong last sequence")
        return revision


class FakeBroker:
    """`faststream.nats.NatsBroker`."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.client = FakeClient(wire)
        self.subscribers: list[FakeSubscriber] = []

    async def connect(self) -> FakeClient:
        """Connect once."""
        await self.client.connect()
        return self.client

    async def start(self) -> None:
        """Start the subscribers that were added before."""
        for subscriber in self.subscribers:
            await subscriber.start()

    async def stop(self) -> None:
        """Disconnect."""
        await self.client.close()

    async def publish(
        self, data: bytes, subject: str, headers: Mapping[str, str], correlation_id: str, **_options: Any
    ) -> Any:
        """Store a message."""
        del correlation_id
        _, duplicate = await self._wire.call(lambda: self._wire.server.store(subject, data, headers))
        return SimpleNamespace(duplicate=duplicate)

    def subscriber(self, _subject: str, *, durable: str, persistent: bool = True, **_options: Any) -> "FakeSubscriber":
        """Return a subscriber, which the broker starts if it is persistent."""
        subscriber = FakeSubscriber(self._wire, self.client, durable)
        if persistent:
            self.subscribers.append(subscriber)
        return subscriber


class FakeSubscriber:
    """`faststream.nats.subscriber.usecases.PullStreamSubscriber`: takes one message at a time."""

    def __init__(self, wire: Wire, client: FakeClient, durable: str) -> None:
        self._wire, self._client, self._durable = wire, client, durable
        self._handle: Callable[[Any], Awaitable[None]] | None = None
        self._task: asyncio.Task[None] | None = None
        self._waiting: asyncio.Future[Delivery | None] | None = None
        self._is_stopping = False

    def __call__(self, handle: Callable[[Any], Awaitable[None]]) -> None:
        """Register the handler."""
        self._handle = handle

    async def start(self) -> None:
        """Begin to pull."""
        process = current_process()
        if process is not None:
            process.on_death.append(self._leave)
        self._wire.server.on_restart.append(self._wake)
        self._task = asyncio.create_task(self._pull_for_ever(), name=f"pulls {self._durable}")

    async def stop(self) -> None:
        """Finish the message in flight and take no other."""
        self._is_stopping = True
        self._leave()
        self._wake()
        if self._task is not None:
            await asyncio.shield(self._task)

    def _leave(self) -> None:
        self._wire.server.stop_pulling(self._durable, self._receive)
        if self._wake in self._wire.server.on_restart:
            self._wire.server.on_restart.remove(self._wake)

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def _receive(self, delivery: Delivery) -> None:
        """Take a delivery from the server; it arrives a moment later, or never, or twice."""
        network = self._wire.network
        waiting = self._waiting
        if network.strikes(network.rates.lost_deliveries):
            network.later(PULL_AGAIN_S, lambda: _hand_over(waiting, None))
            return
        network.later(network.latency_s(), lambda: _hand_over(waiting, delivery))
        if network.strikes(network.rates.duplicates):
            sequence = delivery.message.sequence
            after_s = network.random.choice((0.01, 0.1, 1.0))
            network.later(after_s, lambda: self._wire.server.deliver_once_more(self._durable, sequence))

    async def _pull_for_ever(self) -> None:
        server = self._wire.server
        while not self._is_stopping:
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._wire.call(lambda: server.pull(self._durable, self._receive))
                delivery = await self._waiting
            except errors.Error:
                delivery = None
            server.stop_pulling(self._durable, self._receive)
            if delivery is not None:
                await self._process(delivery)
            elif not self._is_stopping:
                await asyncio.sleep(PULL_AGAIN_S)

    async def _process(self, delivery: Delivery) -> None:
        assert self._handle is not None
        stored = delivery.message
        message = Msg(self._client, stored.subject, delivery.reply, stored.data, dict(stored.headers))  # pyright: ignore[reportArgumentType] - stands in for it
        await self._handle(SimpleNamespace(raw_message=message))


def _hand_over(waiting: asyncio.Future[Delivery | None] | None, delivery: Delivery | None) -> None:
    if waiting is not None and not waiting.done():
        waiting.set_result(delivery)
