"""The planner's service on real servers: what it does as it starts."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

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
async def nats_url(tmp_path: Path) -> AsyncIterator[str]:
    """A server of this test alone: slots are shared by all runs."""
    server = NatsServer(tmp_path / "nats")
    server.start()
    await provision(BusSettings(nats_url=server.url))
    yield server.url
    server.stop()


@pytest.fixture
async def user(nats_url: str) -> AsyncIterator[App]:
    user = App("workers", BusSettings(nats_url=nats_url))
    await user.start()
    yield user
    await user.stop()


async def test_planner_that_starts_with_more_slots_lets_a_waiting_run_in(
    user: App, nats_url: str, database_url: str, s3_settings: S3Settings
) -> None:
    """No event reaches it: the planner before it has handled all."""
    servers = s3_settings.model_dump() | {"nats_url": nats_url, "database_url": database_url}
    first, second = (engineering_requested(model="offline") for _ in range(2))
    async with _planner(servers | {"run_slots": 1}):
        for request in (first, second):
            await user.bus.publish(request)
        await _until(user, EngineeringQueued, second)
    assert await user.bus.latest(EngineeringStarted, second.run_id) is None
    async with _planner(servers | {"run_slots": 2}):
        await _until(user, EngineeringStarted, second)


@asynccontextmanager
async def _planner(settings: Mapping[str, object]) -> AsyncGenerator[None]:
    planner = make_app(Settings.model_validate(settings))
    await planner.start()
    try:
        yield
    finally:
        await planner.stop()


async def _until(
    user: App, event_class: type[EngineeringQueued | EngineeringStarted], request: EngineeringRequested
) -> None:
    """Wait until the run has an event of a class; the test's own timeout is the limit."""
    async for event in user.bus.follow(request.run_id):
        if isinstance(event, event_class):
            return
