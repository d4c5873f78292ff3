"""A recorder, and the log that it writes."""

from collections.abc import AsyncIterator

import pytest
from chassis.app import App
from recorder.app import make_app
from recorder.settings import Settings
from store.database import Database
from store.log import EventLog


@pytest.fixture
async def log(settings: Settings) -> AsyncIterator[EventLog]:
    database = Database(settings)
    yield EventLog(database.engine)
    await database.stop()


@pytest.fixture
async def recorder(settings: Settings) -> AsyncIterator[App]:
    app = make_app(settings)
    await app.start()
    yield app
    await app.stop()
