"""The server dies and comes back: no event is lost and none takes effect twice."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from chassis.app import App
from chassis.subjects import STREAM
from contracts.envelope import Event
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

from tests.chassis.fixture_types import Eventually, MakeApp, MakeEnd, MakeRequest, UntilHealthy
from tests.chassis.outcomes import outcome_of, simulate
from tests.support.clusters.nats_server import NatsServer


async def test_killed_server_loses_no_request_and_repeats_none(
    make_app: MakeApp, server: NatsServer, make_request: MakeRequest, run_id: UUID
) -> None:
    """200 requests, half to a subscription and half to a thread subscription; the server is killed three times."""

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        await asyncio.sleep(0.01)
        return outcome_of(request)

    async def consume(request: SimulationRequested) -> Sequence[Event]:
        return [await simulate(request)]

    asking, subscribed, serving = make_app("engineer"), make_app("sim-worker"), make_app("cad-worker")
    subscribed.subscribes(SimulationRequested, consume, role="engineer", workers=2)
    for app in (asking, subscribed, serving):
        await app.start()
    await serving.serve_thread(run_id, "critic", {SimulationRequested: simulate})

    requests = [make_request(seed, "engineer" if seed % 2 else "critic") for seed in range(200)]
    answers = asyncio.gather(*(_ask_after(request.seed * 0.01, asking, request) for request in requests))
    await _kill_three_times(server)
    outcomes = await answers

    assert all(isinstance(outcome, SimulationFailed) for outcome in outcomes)
    history = await asking.bus.history(run_id)
    assert len(history) == 400
    assert len({event.id for event in history}) == 400
    assert [await app.health() for app in (asking, subscribed, serving)] == [[], [], []]


async def test_follow_yields_every_event_in_order_over_restarts(
    make_app: MakeApp, server: NatsServer, make_request: MakeRequest, make_end: MakeEnd, run_id: UUID
) -> None:
    async def follow() -> list[Event]:
        return [event async for event in following.bus.follow(run_id)]

    async def publish() -> list[Event]:
        requests: list[Event] = [make_request(seed) for seed in range(70)]
        for event in [*requests, make_end()]:
            await asyncio.sleep(0.03)
            await publishing.bus.publish(event)
        return await publishing.bus.history(run_id)

    following, publishing = make_app("engineer"), make_app("planner")
    await following.start()
    await publishing.start()
    followed, published, _ = await asyncio.gather(follow(), publish(), _kill_three_times(server))
    assert len(published) == 71
    assert followed == published


async def test_publish_waits_for_the_server_and_stores_once(
    make_app: MakeApp, server: NatsServer, make_end: MakeEnd, run_id: UUID
) -> None:
    app = make_app("planner")
    await app.start()
    server.kill()
    event = make_end()
    publishing = asyncio.create_task(app.bus.publish(event))
    waiting = asyncio.create_task(app.bus.wait_for_end(run_id))
    await asyncio.sleep(2.5)
    assert not publishing.done()
    server.start()
    assert await publishing is True
    assert await waiting == event
    assert await app.bus.history(run_id) == [event]


async def test_deleted_consumer_is_reported_and_declared_again(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext
) -> None:
    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulate)
    await app.start()
    await app.bus.ask(make_request())
    await js.delete_consumer(STREAM, "sim-worker-simulation-requested")
    assert await app.health() == ["consumer sim-worker-simulation-requested is missing"]
    assert isinstance(await app.bus.ask(make_request()), SimulationFailed)
    assert await app.health() == []


async def test_health_reports_a_lost_connection(
    make_app: MakeApp, server: NatsServer, eventually: Eventually, until_healthy: UntilHealthy
) -> None:
    app = make_app("sim-worker")
    await app.start()
    server.kill()

    async def is_disconnected() -> bool:
        return await app.health() == ["sim-worker is not connected to NATS"]

    await eventually(is_disconnected)
    server.start()
    await until_healthy(app)


async def _kill_three_times(server: NatsServer) -> None:
    for _ in range(3):
        await asyncio.sleep(0.5)
        server.kill()
        await asyncio.sleep(0.2)
        server.start()


async def _ask_after(delay_s: float, app: App, request: SimulationRequested) -> Event:
    await asyncio.sleep(delay_s)
    return await app.bus.ask(request)
