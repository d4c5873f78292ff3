"""A NATS server for every test that needs one, apps on it, and events to publish."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from uuid import UUID, uuid4

import nats
import pytest
from chassis.administration.provisioning import provision
from chassis.app import App
from chassis.settings import BusSettings
from chassis.subjects import STREAM
from contracts.envelope import Role
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationRequested
from contracts.models.artifact import ArtifactRef
from nats.js import JetStreamContext
from opentelemetry.sdk.trace import TracerProvider

from tests.chassis.fixture_types import (
    Eventually,
    MakeApp,
    MakeEnd,
    MakeRequest,
    UntilHealthy,
    UntilSettled,
)
from tests.support.clusters.nats_server import NatsServer


@pytest.fixture
def server(bare_server: NatsServer) -> NatsServer:
    """A server with the streams that `millwright migrate` creates."""
    asyncio.run(provision(BusSettings(nats_url=bare_server.url)))
    return bare_server


@pytest.fixture
def settings(server: NatsServer) -> BusSettings:
    """Short times, so that tests are fast."""
    return BusSettings(
        nats_url=server.url,
        bus_ack_wait_s=0.6,
        bus_max_deliver=3,
        bus_retry_delay_s=0.05,
        bus_drain_s=5.0,
        bus_watch_s=0.3,
    )


@pytest.fixture
async def make_app(settings: BusSettings) -> AsyncIterator[MakeApp]:
    """Apps that are stopped at the end of the test, the last one first."""
    apps: list[App] = []

    def make(name: str, tracer_provider: TracerProvider | None = None, **changes: object) -> App:
        apps.append(App(name, settings.model_copy(update=changes), tracer_provider))
        return apps[-1]

    yield make
    for app in reversed(apps):
        await app.stop()


@pytest.fixture
async def js(server: NatsServer) -> AsyncIterator[JetStreamContext]:
    """The server by raw nats-py, for what the chassis never does."""
    client = await nats.connect(server.url, reconnect_time_wait=1)
    yield client.jetstream()
    await client.close()


@pytest.fixture
def run_id() -> UUID:
    return uuid4()


@pytest.fixture
def make_request(run_id: UUID) -> MakeRequest:
    """A request in this test's run; tests tell requests apart by `seed`."""

    def make(seed: int = 0, role: Role = "engineer") -> SimulationRequested:
        scene = ArtifactRef(sha256="0" * 64, media_type="application/json", size_bytes=1)
        return SimulationRequested(id=uuid4(), run_id=run_id, role=role, producer="test", scene=scene, seed=seed)

    return make


@pytest.fixture
def make_end(run_id: UUID) -> MakeEnd:
    """An event that ends this test's run."""

    def make() -> RunFailed:
        return RunFailed(
            id=uuid4(), run_id=run_id, role="planner", producer="planner", reason="deadline", detail="late"
        )

    return make


@pytest.fixture
def eventually() -> Eventually:
    """Wait until a condition is true; the test's own timeout is the limit."""

    async def wait(condition: Callable[[], Awaitable[bool]]) -> None:
        while not await condition():  # noqa: ASYNC110 - most conditions are states of the server
            await asyncio.sleep(0.02)

    return wait


@pytest.fixture
def until_settled(js: JetStreamContext, eventually: Eventually) -> UntilSettled:
    """Wait until all messages of a consumer were delivered and none is in flight."""

    async def wait(durable: str) -> None:
        async def is_settled() -> bool:
            info = await js.consumer_info(STREAM, durable)
            return info.num_pending == 0 and info.num_ack_pending == 0

        await eventually(is_settled)

    return wait


@pytest.fixture
def until_healthy(eventually: Eventually) -> UntilHealthy:
    """Wait until an app has no problems."""

    async def wait(app: App) -> None:
        async def is_healthy() -> bool:
            return await app.health() == []

        await eventually(is_healthy)

    return wait
