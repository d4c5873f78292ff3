"""The servers of flows."""

import pytest
from artifacts.settings import S3Settings

from tests.support.clusters.cluster import Endpoints


@pytest.fixture(scope="session")
def real_servers(nats_url: str, database_url: str, s3_settings: S3Settings) -> Endpoints:
    """The session's servers in one value."""
    return Endpoints(nats_url, database_url, s3_settings)
