"""A database of a test's own, with all tables."""

from collections.abc import AsyncIterator

import pytest
from store.database import Database
from store.migrate import migrate
from store.settings import DatabaseSettings


@pytest.fixture
async def migrated(empty_database_url: str) -> AsyncIterator[Database]:
    settings = DatabaseSettings(database_url=empty_database_url)
    await migrate(settings)
    database = Database(settings)
    yield database
    await database.stop()
