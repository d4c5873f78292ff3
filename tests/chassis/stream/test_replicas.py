"""Streams and buckets keep the replicas that an operator gave them, on a real server of three nodes."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from uuid import uuid4

import nats
import pytest
from chassis.administration.provisioning import provision
from chassis.administration.rebuild import StoredMessage, rebuild
from chassis.administration.repair import repair
from chassis.delivery.advisories import ADVISORY_STREAM
from chassis.delivery.attempt_stream import ATTEMPT_STREAM
from chassis.errors import BusUnavailableError
from chassis.leases.bucket import BUCKET_STREAM
from chassis.servers import registry
from chassis.settings import BusSettings
from chassis.subjects import STREAM
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import StreamConfig
from nats.js.errors import NotFoundError

from tests.support.clusters.nats_cluster import NatsCluster

STREAMS = (STREAM, ADVISORY_STREAM, ATTEMPT_STREAM, BUCKET_STREAM, registry.BUCKET_STREAM)

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsCluster]:
    cluster = NatsCluster(tmp_path_factory.mktemp("nats"))
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.fixture
async def js(cluster: NatsCluster) -> AsyncIterator[JetStreamContext]:
    """A cluster without streams, once it has elected a leader."""
    client = await nats.connect(cluster.urls[0], connect_timeout=60, max_reconnect_attempts=-1)
    js = client.jetstream()
    await _once_possible(lambda: _remove_all(js))
    yield js
    await client.close()


async def _remove_all(js: JetStreamContext) -> None:
    for name in STREAMS:
        with suppress(NotFoundError):
            await js.delete_stream(name)


async def _once_possible(change: Callable[[], Awaitable[object]]) -> None:
    """Nodes refuse changes while they elect leaders."""
    async with asyncio.timeout(120):
        while True:
            try:
                await change()
            except (NatsError, BusUnavailableError, TimeoutError):
                await asyncio.sleep(0.2)
            else:
                return


async def _configs(js: JetStreamContext) -> list[StreamConfig]:
    """Return the configurations, one by one: after a change, a cluster's list of all streams may lack some."""
    return [(await js.stream_info(name)).config for name in STREAMS]


async def _replicas(js: JetStreamContext) -> list[int | None]:
    return [each.num_replicas for each in await _configs(js)]


async def _replicate(js: JetStreamContext) -> None:
    """Do what an operator does: `nats stream edit NAME --replicas 3 --max-bytes …`."""
    for each in await _configs(js):
        config = replace(each, num_replicas=3, max_bytes=2**30)
        await _once_possible(lambda config=config: js.update_stream(config))


@asynccontextmanager
async def _stays_replicated(js: JetStreamContext) -> AsyncGenerator[None]:
    yield
    assert {(each.num_replicas, each.max_bytes) for each in await _configs(js)} == {(3, 2**30)}


async def test_migration_keeps_replicas_of_all_streams_and_buckets(cluster: NatsCluster, js: JetStreamContext) -> None:
    settings = BusSettings(nats_url=cluster.urls[0])
    await _once_possible(lambda: provision(settings))
    await _replicate(js)
    async with _stays_replicated(js):
        assert await provision(settings) == []


async def test_migration_sets_replicas_that_a_setting_names(cluster: NatsCluster, js: JetStreamContext) -> None:
    await _once_possible(lambda: provision(BusSettings(nats_url=cluster.urls[0])))
    assert await _replicas(js) == [1] * len(STREAMS)
    three = BusSettings(nats_url=cluster.urls[0], nats_replicas=3)
    await _once_possible(lambda: provision(three))
    assert await _replicas(js) == [3] * len(STREAMS)
    await _remove_all(js)
    await _once_possible(lambda: provision(three))
    assert await _replicas(js) == [3] * len(STREAMS)


async def test_repair_and_rebuild_keep_replicas(cluster: NatsCluster, js: JetStreamContext) -> None:
    await _once_possible(lambda: provision(BusSettings(nats_url=cluster.urls[0])))
    await _replicate(js)
    async with _stays_replicated(js):
        await rebuild(js, 11, _messages(2), lambda _: None)
    async with _stays_replicated(js):
        assert await repair(js, 14, _messages(1)) == 1


async def _messages(count: int) -> AsyncIterator[StoredMessage]:
    for _ in range(count):
        yield StoredMessage(f"mw.run.failed.{uuid4()}.planner.{uuid4()}", b"{}", None)
