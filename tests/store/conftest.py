"""The database of these tests."""

import pytest


@pytest.fixture(scope="session")
def database_url(filled_database_url: str) -> str:
    """The database of these tests."""
    return filled_database_url
