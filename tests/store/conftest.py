"""A connected database."""

from collections.abc import AsyncIterator

import pytest
from store.database import Database
from store.settings import DatabaseSettings


@pytest.fixture(scope="session")
def database_url(filled_database_url: str) -> str:
    """The database of these tests."""
    return filled_database_url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """The migrated database, which these tests share."""
    database = Database(DatabaseSettings(database_url=database_url))
    await database.start()
    yield database
    await database.stop()
