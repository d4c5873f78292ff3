"""A stream with three replicas: of several outcomes one is stored, and those who publish learn it without an error."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import nats
import pytest
from chassis.administration.provisioning import provision, stream_config
from chassis.app import App
from chassis.settings import BusSettings
from contracts.envelope import outcome_id
from nats.errors import Error as NatsError

from tests.chassis.fixture_types import MakeRequest
from tests.chassis.outcomes import outcome_of
from tests.support.clusters.nats_cluster import NatsCluster

RACES = 60


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[NatsCluster]:
    cluster = NatsCluster(tmp_path)
    cluster.start()
    yield cluster
    cluster.stop()


async def _provision(url: str) -> None:
    """Create the streams once the nodes have elected a leader, and replicate the log."""
    async with asyncio.timeout(60):
        while True:
            try:
                await provision(BusSettings(nats_url=url))
                client = await nats.connect(url)
                await client.jetstream().update_stream(replace(stream_config(), num_replicas=3))
                await client.close()
            except (NatsError, TimeoutError):
                await asyncio.sleep(0.2)
            else:
                return


@pytest.fixture
async def apps(cluster: NatsCluster) -> AsyncIterator[list[App]]:
    """One process at each node."""
    await _provision(cluster.urls[0])
    apps = [App("sim-worker", BusSettings(nats_url=url, bus_connect_timeout_s=60.0)) for url in cluster.urls]
    for app in apps:
        await app.start()
    yield apps
    for app in apps:
        await app.stop()


@pytest.mark.timeout(180)
async def test_racing_outcomes_of_one_cause_are_stored_once(apps: list[App], make_request: MakeRequest) -> None:
    for race in range(RACES):
        request = make_request(seed=race)
        outcomes = [outcome_of(request, f"race {race} of app {number}") for number in range(len(apps))]
        stored = await asyncio.gather(*(app.bus.publish(outcome) for app, outcome in zip(apps, outcomes, strict=True)))
        assert sum(stored) == 1
        found = await apps[0].bus.find(request.run_id, request.role, outcome_id(request.id))
        assert found == outcomes[stored.index(True)]
    info = await apps[0].bus.history(make_request().run_id)
    assert len(info) == RACES
