"""The stream is created and updated by `millwright migrate` alone; services report that it is missing."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import nats
import pytest
from chassis.administration.provisioning import drifted_fields, provision, stream_config, stream_exists
from chassis.app import App
from chassis.delivery.advisories import ADVISORY_STREAM
from chassis.delivery.attempt_stream import ATTEMPT_STREAM
from chassis.errors import BusUnavailableError
from chassis.leases.bucket import BUCKET
from chassis.servers import registry
from chassis.settings import BusSettings
from chassis.stream.connection import wait_for_server
from chassis.stream.reads import STREAM_LOST
from chassis.subjects import STREAM
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError

from tests.chassis.fixture_types import Eventually, MakeRequest
from tests.chassis.outcomes import simulate
from tests.support.clusters.nats_server import NatsServer


@pytest.fixture
def bare(bare_server: NatsServer) -> BusSettings:
    """Settings with short times for a server without a stream."""
    return BusSettings(nats_url=bare_server.url, bus_connect_timeout_s=0.7, bus_watch_s=0.2)


CREATED = [
    *(f"stream {stream} was created" for stream in (STREAM, ADVISORY_STREAM, ATTEMPT_STREAM)),
    f"bucket {BUCKET} was created",
    f"bucket {registry.BUCKET} was created",
]


@pytest.fixture
async def operator(bare: BusSettings) -> AsyncIterator[JetStreamContext]:
    """An operator with tools of NATS."""
    await wait_for_server(bare)
    client = await nats.connect(bare.nats_url)
    yield client.jetstream()
    await client.close()


async def test_second_provisioning_changes_nothing(bare: BusSettings, operator: JetStreamContext) -> None:
    assert not await stream_exists(bare)
    assert await provision(bare) == CREATED
    await operator.publish("mw.anything", b"data")
    assert await provision(bare) == []
    info = await operator.stream_info(STREAM)
    assert drifted_fields(info.config) == []
    assert info.state.messages == 1
    assert await stream_exists(bare)


async def test_concurrent_provisioning_succeeds(bare: BusSettings) -> None:
    changes = await asyncio.gather(*(provision(bare) for _ in range(5)))
    assert all(set(each) <= set(CREATED) for each in changes)
    assert await provision(bare) == []


async def test_drifted_fields_are_restored_and_others_kept(bare: BusSettings, operator: JetStreamContext) -> None:
    drifted = replace(
        stream_config(),
        discard=DiscardPolicy.OLD,
        max_age=3600.0,
        deny_delete=False,
        duplicate_window=5.0,
        max_bytes=10_000_000,
        allow_direct=True,
    )
    await operator.add_stream(drifted)
    assert await provision(bare) == [
        f"stream {STREAM}: discard was old and is now new",
        f"stream {STREAM}: max_age was 3600.0 and is now 0.0",
        f"stream {STREAM}: duplicate_window was 5.0 and is now 120.0",
        f"stream {STREAM}: deny_delete was False and is now True",
        *CREATED[1:],
    ]
    config = (await operator.stream_info(STREAM)).config
    assert (config.max_bytes, config.allow_direct) == (10_000_000, True)


async def test_field_that_cannot_be_updated_is_named(bare: BusSettings, operator: JetStreamContext) -> None:
    await operator.add_stream(replace(stream_config(), storage=StorageType.MEMORY))
    with pytest.raises(BusUnavailableError, match=r"storage type"):
        await provision(bare)


async def test_overlapping_stream_is_named(bare: BusSettings, operator: JetStreamContext) -> None:
    await operator.add_stream(StreamConfig(name="OTHER", subjects=["mw.>"]))
    with pytest.raises(BusUnavailableError, match=r"subjects overlap"):
        await provision(bare)


async def test_full_stream_refuses_new_messages(bare: BusSettings, operator: JetStreamContext) -> None:
    await operator.add_stream(replace(stream_config(), max_bytes=2_000))
    await provision(bare)
    await operator.publish("mw.first", b"x" * 1_500)
    with pytest.raises(APIError, match="maximum bytes exceeded"):
        await operator.publish("mw.second", b"x" * 1_500)
    assert (await operator.stream_info(STREAM)).state.first_seq == 1


async def test_run_can_be_purged_but_no_single_message_deleted(bare: BusSettings, operator: JetStreamContext) -> None:
    await provision(bare)
    for run in ("a", "b"):
        await operator.publish(f"mw.run.succeeded.{run}.planner.1", b"{}")
    with pytest.raises(APIError, match="delete not permitted"):
        await operator.delete_msg(STREAM, 1)
    await operator.purge_stream(STREAM, subject="mw.*.*.a.>")
    assert (await operator.stream_info(STREAM)).state.messages == 1


async def test_service_without_a_stream_names_remedies_and_creates_none(
    bare: BusSettings, operator: JetStreamContext
) -> None:
    app = App("planner", bare)
    with pytest.raises(BusUnavailableError, match=r"`millwright migrate`.*`millwright rebuild-stream`"):
        await app.start()
    with pytest.raises(NotFoundError):
        await operator.stream_info(STREAM)


async def test_service_waits_for_a_stream_to_appear(bare: BusSettings) -> None:
    app = App("planner", bare.model_copy(update={"bus_connect_timeout_s": 30.0}))
    starting = asyncio.create_task(app.start())
    await asyncio.sleep(0.5)
    assert not starting.done()
    await provision(bare)
    await starting
    assert await app.health() == []
    await app.stop()


async def test_service_waits_while_its_stream_is_lost(
    bare: BusSettings, operator: JetStreamContext, make_request: MakeRequest, eventually: Eventually
) -> None:
    async def has_problems(problems: list[str]) -> bool:
        return await app.health() == problems

    await provision(bare)
    app = App("sim-worker", bare)
    app.answers(SimulationRequested, simulate)
    await app.start()
    await operator.delete_stream(STREAM)
    await eventually(lambda: has_problems([STREAM_LOST]))
    await asyncio.sleep(3 * bare.bus_watch_s)
    assert await app.health() == [STREAM_LOST]  # the service has not created an empty one
    await provision(bare)
    assert isinstance(await app.bus.ask(make_request()), SimulationFailed)
    await eventually(lambda: has_problems([]))
    await app.stop()
