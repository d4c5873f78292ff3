"""A gateway on real servers, clients for it, and what it shows."""

from collections.abc import AsyncIterator, Callable

import pytest
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.app import App
from chassis.settings import BusSettings
from gateway.settings import Settings
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.gateway.gateway_client import RunningGateway, running


@pytest.fixture
def settings(nats_url: str, database_url: str, s3_settings: S3Settings) -> Settings:
    """Settings of a gateway on the shared servers, without tokens, on a free port."""
    return Settings(
        nats_url=nats_url,
        database_url=database_url,
        **s3_settings.model_dump(),
        gateway_port=0,
        gateway_requests_per_minute=1_000_000,
        gateway_linger_s=0.2,
    )


@pytest.fixture
async def gateway(settings: Settings) -> AsyncIterator[RunningGateway]:
    """A gateway without tokens."""
    async with running(settings) as gateway:
        yield gateway


@pytest.fixture
async def publisher(nats_url: str) -> AsyncIterator[App]:
    """An app that publishes."""
    app = App("publisher", BusSettings(nats_url=nats_url))
    await app.start()
    yield app
    await app.stop()


@pytest.fixture
async def log(database_url: str) -> AsyncIterator[EventLog]:
    """The log, as the recorder writes it."""
    database = Database(DatabaseSettings(database_url=database_url))
    yield EventLog(database.engine)
    await database.stop()


@pytest.fixture
async def artifacts(s3_settings: S3Settings) -> AsyncIterator[Artifacts]:
    """The artifacts of a service."""
    artifacts = Artifacts(s3_settings)
    await artifacts.start()
    yield artifacts
    await artifacts.stop()


@pytest.fixture(scope="session")
def next_sequence() -> Callable[[int], int]:
    """Give each test sequences of its own, above those that the shared stream reaches."""
    last = [10**12]

    def reserve(count: int) -> int:
        last[0] += count
        return last[0] - count

    return reserve
