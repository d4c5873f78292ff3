"""Two workers, of which a test kills one."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from local_stack.servers.server_stack import ServerStack

from tests.chaos.workers import WorkerPair, two_workers
from tests.support.clusters.cluster import Cluster


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pair(
    servers: ServerStack, nats_url: str, database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[WorkerPair]:
    """Two workers on the session's servers, with stream and tables; the test that kills one is the last."""
    assert (nats_url, database_url) == (servers.nats_url, servers.database_url)
    async with two_workers(Cluster(servers), tmp_path_factory.mktemp("workers")) as pair:
        yield pair
