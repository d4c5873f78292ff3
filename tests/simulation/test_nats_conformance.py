"""The server in memory against a real one: each case runs on both, in virtual and in real time."""

# pyright: reportPrivateUsage=false
# The registry subscribes as it does for an app.

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from chassis.delivery.consumer_registry import ConsumerRegistry
from chassis.delivery.reconciliation import consumer_config
from chassis.leases.bucket import BUCKET, EVERY_KEY
from chassis.settings import BusSettings
from chassis.stream.connection import connect, disconnect, make_broker
from chassis.stream.publisher import deduplication_headers
from chassis.subjects import STREAM, Address, SubscriptionMode, id_filter
from nats.aio.msg import Msg
from nats.js.errors import BadRequestError, KeyNotFoundError, KeyWrongLastSequenceError, NotFoundError

from tests.simulation.doubles.nats_client import FakeBroker, Wire
from tests.simulation.doubles.nats_server import NatsServer
from tests.simulation.doubles.network import FaultRates, Network
from tests.simulation.event_loop import Process, VirtualLoop

ACK_WAIT_S = 0.5


@dataclass
class Side:
    """A broker with its client, and a run of this case's own."""

    broker: Any
    client: Any
    run_id: Any = field(default_factory=uuid4)
    messages: "asyncio.Queue[Msg]" = field(default_factory=asyncio.Queue["Msg"])

    @property
    def js(self) -> Any:
        return self.client.jetstream(timeout=2.0)

    def subject(self, id_: object, words: str = "cell.requested") -> str:
        return f"mw.{words}.{self.run_id}.engineer.{id_}"

    async def publish(self, id_: Any, words: str = "cell.requested", message_id: str | None = None) -> bool:
        """Store a message; return whether it is a duplicate."""
        headers = deduplication_headers(Address(self.run_id, "engineer", id_))
        headers |= {} if message_id is None else {"Nats-Msg-Id": message_id}
        answer = await self.broker.publish(
            b"{}", self.subject(id_, words), headers=headers, correlation_id="c", stream=STREAM, timeout=2.0
        )
        return bool(answer.duplicate)

    async def consume(self, mode: SubscriptionMode = SubscriptionMode.ANSWER, pullers: int = 1) -> str:
        """Put what a new consumer delivers into `messages`; return the consumer's name."""
        durable = f"conformance-{uuid4()}"
        config = consumer_config(durable, f"mw.cell.requested.{self.run_id}.>", mode, ACK_WAIT_S)
        await self.js.add_consumer(STREAM, config=config)

        async def process(_subscription: object, delivered: Any) -> None:
            await self.messages.put(delivered.raw_message)

        consumers = SimpleNamespace(reconcile_for_ever=asyncio.Event().wait)
        registry = ConsumerRegistry("conformance", self.broker, SimpleNamespace(process=process), consumers)  # pyright: ignore[reportArgumentType]
        for _ in range(pullers):
            await registry._subscribe(config, None, persistent=False).start()  # pyright: ignore[reportArgumentType]
        return durable

    async def next(self) -> Msg:
        """Return the next delivered message."""
        async with asyncio.timeout(5.0):
            return await self.messages.get()

    async def require_silence(self, seconds: float) -> None:
        """Check that nothing is delivered for so long."""
        await asyncio.sleep(seconds)
        assert self.messages.empty()


Case = Callable[[Side], Awaitable[None]]


@asynccontextmanager
async def _real_side(url: str) -> AsyncGenerator[Side]:
    settings = BusSettings(nats_url=url)
    broker = make_broker("conformance", settings)
    client = await connect(broker, "conformance", settings)
    try:
        yield Side(broker, client)
    finally:
        await disconnect(broker)


def _run_in_virtual_time(case: Case) -> None:
    loop = VirtualLoop()
    network = Network(loop, Random(1), FaultRates())
    wire = Wire(network, NatsServer(loop.time, network.later))

    async def run() -> None:
        broker = FakeBroker(wire)
        await case(Side(broker, await broker.connect()))

    process = Process("case")
    task = loop.spawn(process, run())
    loop.run_until(task.done, 60.0)
    task.result()
    loop.dispose([process])


@pytest.fixture(params=["in memory", "real"])
def run_case(request: pytest.FixtureRequest) -> Callable[[Case], None]:
    """Return the function that runs a case on one side."""
    if request.param == "in memory":
        return _run_in_virtual_time
    url: str = request.getfixturevalue("nats_url")

    def run_in_real_time(case: Case) -> None:
        async def run() -> None:
            async with _real_side(url) as side:
                await case(side)

        asyncio.run(run())

    return run_in_real_time


RunCase = Callable[[Case], None]


def test_message_is_stored_once(run_case: RunCase):
    async def case(side: Side) -> None:
        id_ = uuid4()
        assert not await side.publish(id_)
        with pytest.raises(BadRequestError) as refused:
            await side.publish(id_)
        assert refused.value.err_code == 10071

    run_case(case)


def test_another_class_under_a_taken_id_is_refused(run_case: RunCase):
    async def case(side: Side) -> None:
        id_ = uuid4()
        await side.publish(id_)
        with pytest.raises(BadRequestError) as refused:
            await side.publish(id_, "cell.completed", message_id="another")
        assert refused.value.err_code == 10071

    run_case(case)


def test_newest_message_under_a_filter_is_found(run_case: RunCase):
    async def case(side: Side) -> None:
        first, second = uuid4(), uuid4()
        await side.publish(first)
        await side.publish(second, "cell.completed")
        assert (await side.js.get_last_msg(STREAM, f"mw.*.*.{side.run_id}.>")).subject.endswith(str(second))
        assert (await side.js.get_last_msg(STREAM, f"mw.cell.requested.{side.run_id}.*.*")).data == b"{}"
        assert (await side.js.get_last_msg(STREAM, id_filter(side.run_id, "engineer", first))).seq > 0
        with pytest.raises(NotFoundError) as missing:
            await side.js.get_last_msg(STREAM, id_filter(side.run_id, "critic", first))
        assert missing.value.err_code == 10037

    run_case(case)


def test_messages_of_a_run_are_read_in_order(run_case: RunCase):
    async def case(side: Side) -> None:
        ids = [uuid4() for _ in range(3)]
        for each in ids:
            await side.publish(each)
        sequence, found = 0, list[str]()
        pattern = f"mw.*.*.{side.run_id}.>"
        for _ in ids:
            message = await side.js.get_msg(STREAM, seq=sequence + 1, subject=pattern, next=True)
            sequence = message.seq
            found.append(message.subject)
        assert found == [side.subject(each) for each in ids]
        with pytest.raises(NotFoundError):
            await side.js.get_msg(STREAM, seq=sequence + 1, subject=pattern, next=True)

    run_case(case)


def test_acknowledged_message_is_not_delivered_again(run_case: RunCase):
    async def case(side: Side) -> None:
        await side.consume()
        await side.publish(uuid4())
        message = await side.next()
        assert message.metadata.num_delivered == 1
        await message.ack()
        await side.require_silence(2.5 * ACK_WAIT_S)

    run_case(case)


def test_message_without_acknowledgement_is_delivered_again(run_case: RunCase):
    async def case(side: Side) -> None:
        await side.consume()
        await side.publish(uuid4())
        first = await side.next()
        again = await side.next()
        assert (again.subject, again.metadata.num_delivered) == (first.subject, 2)
        assert again.metadata.sequence.stream == first.metadata.sequence.stream
        await first.ack()  # that of an earlier delivery counts, too
        await side.require_silence(2.5 * ACK_WAIT_S)

    run_case(case)


def test_keepalive_postpones_the_next_delivery(run_case: RunCase):
    async def case(side: Side) -> None:
        await side.consume()
        await side.publish(uuid4())
        message = await side.next()
        for _ in range(6):
            await asyncio.sleep(0.4 * ACK_WAIT_S)
            await message.in_progress()
        assert side.messages.empty()
        assert (await side.next()).metadata.num_delivered == 2

    run_case(case)


def test_negative_acknowledgement_delivers_again_after_its_delay(run_case: RunCase):
    async def case(side: Side) -> None:
        await side.consume()
        await side.publish(uuid4())
        await (await side.next()).nak(delay=0.3)
        await side.require_silence(0.15)
        again = await side.next()
        assert again.metadata.num_delivered == 2
        await again.nak()
        assert (await side.next()).metadata.num_delivered == 3

    run_case(case)


def test_terminated_message_is_not_delivered_again(run_case: RunCase):
    async def case(side: Side) -> None:
        await side.consume()
        await side.publish(uuid4())
        await (await side.next()).term()
        await side.require_silence(2.5 * ACK_WAIT_S)

    run_case(case)


def test_requests_of_a_thread_come_one_at_a_time(run_case: RunCase):
    async def case(side: Side) -> None:
        await side.consume(SubscriptionMode.SERVE_THREAD, pullers=2)
        first, second = uuid4(), uuid4()
        await side.publish(first)
        await side.publish(second)
        message = await side.next()
        await message.nak(delay=0.3)
        again = await side.next()
        assert again.subject == side.subject(first)
        await side.require_silence(0.4 * ACK_WAIT_S)
        await again.ack()
        assert (await side.next()).subject == side.subject(second)

    run_case(case)


def test_two_pullers_share_the_messages(run_case: RunCase):
    async def case(side: Side) -> None:
        await side.consume(pullers=2)
        ids = [uuid4() for _ in range(4)]
        for each in ids:
            await side.publish(each)
        messages = [await side.next() for _ in ids]
        for message in messages:
            await message.ack()
        assert {each.subject for each in messages} == {side.subject(each) for each in ids}
        await side.require_silence(2.5 * ACK_WAIT_S)

    run_case(case)


def test_missing_consumer_is_not_found(run_case: RunCase):
    async def case(side: Side) -> None:
        with pytest.raises(NotFoundError):
            await side.js.consumer_info(STREAM, f"conformance-{uuid4()}")

    run_case(case)


def test_consumer_counts_what_is_left(run_case: RunCase):
    async def case(side: Side) -> None:
        durable = await side.consume()
        await side.publish(uuid4())
        message = await side.next()
        info = await side.js.consumer_info(STREAM, durable)
        assert (info.num_ack_pending, info.num_pending) == (1, 0)
        await message.ack()
        await asyncio.sleep(0.1)
        assert (await side.js.consumer_info(STREAM, durable)).num_ack_pending == 0

    run_case(case)


def test_value_is_overwritten_only_at_its_revision(run_case: RunCase):
    async def case(side: Side) -> None:
        bucket, key = await side.js.key_value(BUCKET), f"conformance.{uuid4()}"
        with pytest.raises(KeyNotFoundError):
            await bucket.get(key)
        first = await bucket.create(key, b"1")
        second = await bucket.update(key, b"2", last=first)
        assert second > first
        for stale in (bucket.update(key, b"3", last=first), bucket.create(key, b"3")):
            with pytest.raises(KeyWrongLastSequenceError):
                await stale
        entry = await bucket.get(key)
        assert (entry.value, entry.revision) == (b"2", second)
        await bucket.delete(key, last=second)
        with pytest.raises(KeyNotFoundError):
            await bucket.get(key)
        assert await bucket.create(key, b"4") > second

    run_case(case)


def test_every_write_of_a_value_is_reported(run_case: RunCase):
    async def case(side: Side) -> None:
        reports, key = list[tuple[str, bytes]](), f"conformance.{uuid4()}"

        async def note(message: Msg) -> None:
            if message.subject.endswith(key):
                reports.append((message.subject, message.data))

        await side.client.subscribe(EVERY_KEY, cb=note)
        bucket = await side.js.key_value(BUCKET)
        revision = await bucket.create(key, b"1")
        await bucket.delete(key, last=revision)
        await asyncio.sleep(0.2)
        assert reports == [(EVERY_KEY[:-1] + key, b"1"), (EVERY_KEY[:-1] + key, b"")]

    run_case(case)
