"""The planner's service on real servers: what it does as it starts."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import pytest
from artifacts.settings import S3Settings
from chassis.administration.provisioning import provision
from chassis.app import App
from chassis.settings import BusSettings
from contracts.events.run import EngineeringQueued, EngineeringRequested, EngineeringStarted
from planner.app import make_app
from planner.settings import Settings

from tests.agent.role_harness import engineering_requested
from tests.support.clusters.nats_server import NatsServer


@pytest.fixture
async def nats_url(bare_server: NatsServer) -> str:
    """A server of this test alone: slots are shared by all runs."""
    await provision(BusSettings(nats_url=bare_server.url))
    return bare_server.url


async def test_planner_that_starts_with_more_slots_lets_a_waiting_run_in(
    publisher: App, nats_url: str, database_url: str, s3_settings: S3Settings
) -> None:
    """No event reaches it: the planner before it has handled all."""
    servers = s3_settings.model_dump() | {"nats_url": nats_url, "database_url": database_url}
    first, second = (engineering_requested(model="offline") for _ in range(2))
    async with _planner(servers | {"run_slots": 1}):
        for request in (first, second):
            await publisher.bus.publish(request)
        await _until(publisher, EngineeringQueued, second)
    assert await publisher.bus.latest(EngineeringStarted, second.run_id) is None
    async with _planner(servers | {"run_slots": 2}):
        await _until(publisher, EngineeringStarted, second)


@asynccontextmanager
async def _planner(settings: Mapping[str, object]) -> AsyncGenerator[None]:
    planner = make_app(Settings.model_validate(settings))
    await planner.start()
    try:
        yield
    finally:
        await planner.stop()


async def _until(
    publisher: App, event_class: type[EngineeringQueued | EngineeringStarted], request: EngineeringRequested
) -> None:
    """Wait until the run has an event of a class; the test's own timeout is the limit."""
    async for event in publisher.bus.follow(request.run_id):
        if isinstance(event, event_class):
            return
