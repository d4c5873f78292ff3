"""The server dies and comes back; nothing is lost and nothing happens twice."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol
from uuid import UUID

from chassis.app import App
from chassis.stream.subjects import STREAM
from contracts.envelope import Event
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
End = Callable[[], RunFailed]
Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


class Server(Protocol):
    def start(self) -> None: ...

    def kill(self) -> None: ...


async def test_a_killed_server_loses_nothing_and_repeats_nothing(
    make_app: MakeApp, server: Server, ask_for: Ask, refuse: Refuse, run_id: UUID
) -> None:
    """Two hundred questions, half of them to a listener and half to an attendant; the server is killed three times."""

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        await asyncio.sleep(0.01)
        return refuse(request)

    async def hear(request: SimulationRequested) -> Sequence[Event]:
        return [await simulate(request)]

    asker, listener, attendant = make_app("engineer"), make_app("sim-worker"), make_app("cad-worker")
    listener.subscribes(SimulationRequested, hear, role="engineer", workers=2)
    for app in (asker, listener, attendant):
        await app.start()
    await attendant.serve_thread(run_id, "critic", {SimulationRequested: simulate})

    requests = [ask_for(seed, "engineer" if seed % 2 else "critic") for seed in range(200)]
    asking = asyncio.gather(*(_ask_soon(asker, request, request.seed * 0.01) for request in requests))
    await _kill_thrice(server)
    outcomes = await asking

    assert all(isinstance(outcome, SimulationFailed) for outcome in outcomes)
    history = await asker.bus.history(run_id)
    assert len(history) == 400
    assert len({event.id for event in history}) == 400
    assert [await app.health() for app in (asker, listener, attendant)] == [[], [], []]


async def test_a_follower_sees_all_in_order_though_the_server_dies(
    make_app: MakeApp, server: Server, ask_for: Ask, end: End, run_id: UUID
) -> None:
    async def follow() -> list[Event]:
        return [event async for event in follower.bus.follow(run_id)]

    async def tell() -> list[Event]:
        said: list[Event] = [ask_for(seed) for seed in range(70)]
        for event in [*said, end()]:
            await asyncio.sleep(0.03)
            await teller.bus.publish(event)
        return await teller.bus.history(run_id)

    follower, teller = make_app("engineer"), make_app("planner")
    await follower.start()
    await teller.start()
    followed, told, _ = await asyncio.gather(follow(), tell(), _kill_thrice(server))
    assert len(told) == 71
    assert followed == told


async def test_publishing_waits_for_the_server_and_stores_once(
    make_app: MakeApp, server: Server, end: End, run_id: UUID
) -> None:
    app = make_app("planner")
    await app.start()
    server.kill()
    event = end()
    publishing = asyncio.create_task(app.bus.publish(event))
    asking = asyncio.create_task(app.bus.wait_for_end(run_id))
    await asyncio.sleep(2.5)
    assert not publishing.done()
    server.start()
    assert await publishing is True
    assert await asking == event
    assert await app.bus.history(run_id) == [event]


async def test_a_consumer_that_disappears_is_seen_and_declared_anew(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, raw: JetStreamContext
) -> None:
    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return refuse(request)

    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulate)
    await app.start()
    await app.bus.ask(ask_for())
    await raw.delete_consumer(STREAM, "sim-worker-simulation-requested")
    assert await app.health() == ["consumer sim-worker-simulation-requested is missing"]
    assert isinstance(await app.bus.ask(ask_for()), SimulationFailed)
    assert await app.health() == []


async def test_health_tells_that_the_server_is_gone(make_app: MakeApp, server: Server, eventually: Eventually) -> None:
    app = make_app("sim-worker")
    await app.start()
    server.kill()

    async def unwell() -> bool:
        return await app.health() == ["sim-worker is not connected to NATS"]

    await eventually(unwell)
    server.start()

    async def well() -> bool:
        return await app.health() == []

    await eventually(well)


async def _kill_thrice(server: Server) -> None:
    for _ in range(3):
        await asyncio.sleep(0.5)
        server.kill()
        await asyncio.sleep(0.2)
        server.start()


async def _ask_soon(app: App, request: SimulationRequested, delay_s: float) -> Event:
    await asyncio.sleep(delay_s)
    return await app.bus.ask(request)
