"""The database of these tests."""

import pytest


@pytest.fixture(scope="session")
def database_url(filled_database_url: str) -> str:
    """A migrated database; no whole run is offered the skills of these tests."""
    return filled_database_url
