"""A broker of a test's own, which may lose its stream, and the log that a recorder writes."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from recorder.settings import Settings
from store.database import Database
from store.log import EventLog

from tests.support.clusters.nats_server import NatsServer


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[NatsServer]:
    server = NatsServer(tmp_path / "nats")
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def log(settings: Settings) -> AsyncIterator[EventLog]:
    database = Database(settings)
    yield EventLog(database.engine)
    await database.stop()
