"""A connected database."""

from collections.abc import AsyncIterator

import pytest
from store.database import Database
from store.settings import DatabaseSettings


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """The shared, migrated database."""
    database = Database(DatabaseSettings(database_url=database_url))
    await database.start()
    yield database
    await database.stop()
