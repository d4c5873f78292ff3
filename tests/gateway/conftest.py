"""A gateway on real servers, clients for it, and what it shows."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.administration.provisioning import provision
from chassis.settings import BusSettings
from gateway.settings import Settings
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.artifacts.support import opened
from tests.gateway.gateway_client import RunningGateway, running
from tests.gateway.gateway_settings import settings_on
from tests.support.clusters.cluster import Endpoints
from tests.support.clusters.nats_server import serving


@pytest.fixture(scope="session")
def nats_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A NATS server of these tests alone: services of other tests would work on the runs that they request."""
    with serving(tmp_path_factory.mktemp("gateway")) as server:
        asyncio.run(provision(BusSettings(nats_url=server.url)))
        yield server.url


@pytest.fixture
def settings(nats_url: str, database_url: str, s3_settings: S3Settings) -> Settings:
    """Settings of a gateway on the servers of these tests."""
    return settings_on(Endpoints(nats_url, database_url, s3_settings))


@pytest.fixture
async def gateway(settings: Settings) -> AsyncIterator[RunningGateway]:
    """A gateway without tokens."""
    async with running(settings) as gateway:
        yield gateway


@pytest.fixture
async def log(database_url: str) -> AsyncIterator[EventLog]:
    """The log, as the recorder writes it."""
    database = Database(DatabaseSettings(database_url=database_url))
    yield EventLog(database.engine)
    await database.stop()


@pytest.fixture
async def artifacts(s3_settings: S3Settings) -> AsyncIterator[Artifacts]:
    """The artifacts of a service."""
    async with opened(s3_settings) as artifacts:
        yield artifacts


@pytest.fixture(scope="session")
def next_sequence() -> Callable[[int], int]:
    """Give each test sequences of its own, above those that the shared stream reaches."""
    last = [10**12]

    def reserve(count: int) -> int:
        last[0] += count
        return last[0] - count

    return reserve
