"""Problems that an app reports."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio

from chassis.delivery.keepalive import AckKeepalive, InFlight
from chassis.settings import BusSettings
from chassis.stream.reads import STREAM_LOST
from chassis.subjects import STREAM
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext

from tests.chassis.fixture_types import Eventually, MakeApp, MakeRequest
from tests.chassis.outcomes import outcome_of, simulate


async def test_consumer_that_takes_no_waiting_messages_is_reported(
    make_app: MakeApp, make_request: MakeRequest, eventually: Eventually
) -> None:
    """Its subscriber has ended, as after an unforeseen error; here the test stops it."""

    app = make_app("sim-worker", bus_max_retry_delay_s=0.1, bus_ack_wait_s=0.3)
    app.answers(SimulationRequested, simulate)
    await app.start()
    assert await app.health() == []
    for subscriber in app._broker.subscribers:  # pyright: ignore[reportPrivateUsage] - cannot happen otherwise
        await subscriber.stop()
    for seed in range(3):
        await app.bus.publish(make_request(seed))

    async def is_unhealthy() -> bool:
        return await app.health() != []

    await eventually(is_unhealthy)
    (problem,) = await app.health()
    assert problem.startswith("consumer sim-worker-simulation-requested has 3 messages waiting")


async def test_worker_with_one_long_request_is_healthy(make_app: MakeApp, make_request: MakeRequest) -> None:
    finish = asyncio.Event()

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        await finish.wait()
        return outcome_of(request)

    app = make_app("sim-worker", bus_max_retry_delay_s=0.1, bus_ack_wait_s=0.2)
    app.answers(SimulationRequested, simulate)
    await app.start()
    requests = [make_request(seed) for seed in range(3)]
    for request in requests:
        await app.bus.publish(request)
    for _ in range(8):
        await asyncio.sleep(0.1)
        assert await app.health() == []
    finish.set()
    await asyncio.gather(*(app.bus.ask(request) for request in requests))


async def test_lost_stream_is_the_only_problem_reported(make_app: MakeApp, js: JetStreamContext) -> None:
    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulate)
    await app.start()
    await js.delete_stream(STREAM)
    assert await app.health() == [STREAM_LOST]


def test_message_is_held_once_at_a_time() -> None:
    def message(sequence: int) -> Msg:
        return Msg(Client(), reply=f"$JS.ACK.{STREAM}.durable.1.{sequence}.1.0.0")

    in_flight = InFlight(AckKeepalive("sim-worker", BusSettings()))
    with in_flight.hold("durable", [message(7)]) as first, in_flight.hold("durable", [message(7)]) as again:
        assert (first, again) == (True, False)
        with in_flight.hold("other", [message(7)]) as elsewhere, in_flight.hold("durable", [message(8)]) as another:
            assert elsewhere
            assert another
        assert in_flight.idle_s("durable") == 0.0
    with in_flight.hold("durable", [message(7)]) as later:
        assert later
