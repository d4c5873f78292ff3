"""The server dies and comes back; nothing is lost and nothing happens twice."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol
from uuid import UUID

from chassis.app import App
from chassis.streams import STREAM
from contracts.engineering import RunFailed
from contracts.envelope import Event
from contracts.simulation import SimulationFailed, SimulationRequested

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
End = Callable[[], RunFailed]
Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


class Server(Protocol):
    def start(self) -> None: ...

    def kill(self) -> None: ...


async def test_a_killed_server_loses_nothing(
    make_app: MakeApp, server: Server, ask_for: Ask, refuse: Refuse, end: End, run_id: UUID
) -> None:
    """Two hundred questions, half of them to an attendant, while the server is killed three times."""

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        await asyncio.sleep(0.01)
        return refuse(request)

    asker, worker, attendant = make_app("engineer"), make_app("sim-worker"), make_app("cad-worker")
    heard: set[UUID] = set()

    async def hear(event: SimulationFailed) -> Sequence[Event]:
        heard.add(event.id)
        return []

    asker.hears(SimulationFailed, hear)
    worker.hears(SimulationRequested, _only(simulate), role="engineer", workers=2)
    for app in (asker, worker, attendant):
        await app.start()
    await attendant.attend(run_id, "critic", {SimulationRequested: simulate})
    followed: list[Event] = []

    async def follow() -> None:
        async for event in asker.bus.follow(run_id):
            followed.append(event)  # noqa: PERF401 - what was seen before a failure is of interest

    following = asyncio.create_task(follow())
    requests = [ask_for(seed, "engineer" if seed % 2 else "critic") for seed in range(200)]
    asking = asyncio.gather(*(_ask_soon(asker, request, request.seed * 0.02) for request in requests))
    for _ in range(3):
        await asyncio.sleep(0.7)
        server.kill()
        await asyncio.sleep(0.3)
        server.start()
    outcomes = await asking
    await asker.bus.publish(end())
    await following

    assert all(isinstance(outcome, SimulationFailed) for outcome in outcomes)
    history = await asker.bus.history(run_id)
    assert len(history) == 401
    assert len({event.id for event in history}) == 401
    assert followed == history
    while len(heard) < 200:
        await asyncio.sleep(0.02)
    for app in (asker, worker, attendant):
        assert await app.health() == []


async def test_publishing_waits_for_the_server_and_stores_once(
    make_app: MakeApp, server: Server, end: End, run_id: UUID
) -> None:
    app = make_app("planner")
    await app.start()
    server.kill()
    event = end()
    publishing = asyncio.create_task(app.bus.publish(event))
    asking = asyncio.create_task(app.bus.until_ended(run_id))
    await asyncio.sleep(2.5)
    assert not publishing.done()
    server.start()
    assert await publishing is True
    assert await asking == event
    assert await app.bus.history(run_id) == [event]


async def test_a_consumer_that_disappears_is_seen_and_declared_anew(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse
) -> None:
    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return refuse(request)

    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulate)
    await app.start()
    await app.bus.ask(ask_for())
    await app._bus.js.delete_consumer(STREAM, "sim-worker-simulation-requested")
    assert await app.health() == ["consumer sim-worker-simulation-requested is missing"]
    assert isinstance(await app.bus.ask(ask_for()), SimulationFailed)
    assert await app.health() == []


async def test_health_tells_that_the_server_is_gone(
    make_app: MakeApp, server: Server, eventually: Eventually
) -> None:
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


def _only(
    simulate: Callable[[SimulationRequested], Awaitable[SimulationFailed]],
) -> Callable[[SimulationRequested], Awaitable[Sequence[Event]]]:
    async def hear(request: SimulationRequested) -> Sequence[Event]:
        return [await simulate(request)]

    return hear


async def _ask_soon(app: App, request: SimulationRequested, delay_s: float) -> Event:
    await asyncio.sleep(delay_s)
    return await app.bus.ask(request)
