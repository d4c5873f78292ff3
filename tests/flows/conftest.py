"""The run that most flow tests examine, done once."""

import asyncio

import pytest
from artifacts.settings import S3Settings

from tests.flows.complete_runs import CompleteRun, order, run_once
from tests.support.clusters.cluster import Endpoints


@pytest.fixture(scope="session")
def real_servers(nats_url: str, database_url: str, s3_settings: S3Settings) -> Endpoints:
    """The session's servers in one value."""
    return Endpoints(nats_url, database_url, s3_settings)


@pytest.fixture(scope="session")
def detour(real_servers: Endpoints) -> CompleteRun:
    """A detour benchmark, solved from request to learned skill, and filmed in full size."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SIM_VIDEO_WIDTH", "SIM_VIDEO_HEIGHT"):
            patch.delenv(name)
        return asyncio.run(run_once(real_servers, order("detour", 1)))
