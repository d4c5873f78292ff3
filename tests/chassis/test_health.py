"""An app says what is wrong with it."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import Awaitable, Callable

from chassis.app import App
from chassis.delivery.in_flight import InFlight
from chassis.stream.subjects import STREAM, STREAM_LOST
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


async def test_a_worker_that_takes_nothing_though_messages_wait_is_named(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, eventually: Eventually
) -> None:
    """Its subscriber has gone deaf, as after an error that nobody foresaw; here somebody stopped it."""

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return refuse(request)

    app = make_app("sim-worker", bus_max_retry_delay_s=0.1, bus_ack_wait_s=0.3)
    app.answers(SimulationRequested, simulate)
    await app.start()
    assert await app.health() == []
    for subscriber in app._broker.subscribers:  # pyright: ignore[reportPrivateUsage] - no hand can do it
        await subscriber.stop()
    for seed in range(3):
        await app.bus.publish(ask_for(seed))

    async def unwell() -> bool:
        return await app.health() != []

    await eventually(unwell)
    (problem,) = await app.health()
    assert problem.startswith("consumer sim-worker-simulation-requested has 3 messages waiting, and took none here for")


async def test_a_worker_with_one_long_piece_of_work_is_well_though_messages_wait(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse
) -> None:
    finish = asyncio.Event()

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        await finish.wait()
        return refuse(request)

    app = make_app("sim-worker", bus_max_retry_delay_s=0.1, bus_ack_wait_s=0.2)
    app.answers(SimulationRequested, simulate)
    await app.start()
    requests = [ask_for(seed) for seed in range(3)]
    for request in requests:
        await app.bus.publish(request)
    for _ in range(8):
        await asyncio.sleep(0.1)
        assert await app.health() == []
    finish.set()
    await asyncio.gather(*(app.bus.ask(request) for request in requests))


async def test_a_lost_stream_is_named_and_nothing_else(
    make_app: MakeApp, refuse: Refuse, raw: JetStreamContext
) -> None:
    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return refuse(request)

    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulate)
    await app.start()
    await raw.delete_stream(STREAM)
    assert await app.health() == [STREAM_LOST]


def test_a_message_is_in_hand_once() -> None:
    progress = InFlight()
    with progress.in_hand("durable", 7) as first, progress.in_hand("durable", 7) as again:
        assert (first, again) == (True, False)
        with progress.in_hand("other", 7) as elsewhere, progress.in_hand("durable", 8) as another:
            assert elsewhere
            assert another
        assert progress.idle_s("durable") == 0.0
    with progress.in_hand("durable", 7) as later:
        assert later
