"""The stream: made and mended by `migrate` alone, missed aloud by everybody else."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Protocol

import nats
import pytest
from chassis.app import App
from chassis.delivery.advisories import ADVISORY_STREAM
from chassis.errors import BusUnavailableError
from chassis.leases.bucket import BUCKET
from chassis.settings import BusSettings
from chassis.stream.connection import wait_for_server
from chassis.stream.provisioning import drifted_fields, provision, stream_config, stream_exists
from chassis.stream.subjects import STREAM, STREAM_LOST
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError

Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
Eventually = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


class Server(Protocol):
    @property
    def url(self) -> str: ...


@pytest.fixture
def bare(bare_server: Server) -> BusSettings:
    """A server without a stream, and an impatient reader."""
    return BusSettings(nats_url=bare_server.url, bus_connect_timeout_s=0.7, bus_watch_s=0.2)


CREATED = [f"stream {STREAM} was created", f"stream {ADVISORY_STREAM} was created", f"bucket {BUCKET} was created"]


@pytest.fixture
async def operator(bare: BusSettings) -> AsyncIterator[JetStreamContext]:
    """Somebody with nats' own tools."""
    await wait_for_server(bare)
    client = await nats.connect(bare.nats_url)
    yield client.jetstream()
    await client.close()


async def test_the_stream_is_created_once_and_then_left_alone(bare: BusSettings, operator: JetStreamContext) -> None:
    assert not await stream_exists(bare)
    assert await provision(bare) == CREATED
    await operator.publish("mw.anything", b"kept")
    assert await provision(bare) == []
    info = await operator.stream_info(STREAM)
    assert drifted_fields(info.config) == []
    assert info.state.messages == 1
    assert await stream_exists(bare)


async def test_many_may_provision_at_once(bare: BusSettings) -> None:
    said = await asyncio.gather(*(provision(bare) for _ in range(5)))
    assert all(set(each) <= set(CREATED) for each in said)
    assert await provision(bare) == []


async def test_what_has_drifted_is_mended_and_told_and_the_operators_choice_stays(
    bare: BusSettings, operator: JetStreamContext
) -> None:
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


async def test_what_cannot_be_mended_is_named(bare: BusSettings, operator: JetStreamContext) -> None:
    await operator.add_stream(replace(stream_config(), storage=StorageType.MEMORY))
    with pytest.raises(BusUnavailableError, match=r"cannot be made what it must be: .*storage type"):
        await provision(bare)


async def test_a_stream_in_the_way_is_named(bare: BusSettings, operator: JetStreamContext) -> None:
    await operator.add_stream(StreamConfig(name="OTHER", subjects=["mw.>"]))
    with pytest.raises(BusUnavailableError, match=r"cannot be made what it must be: subjects overlap"):
        await provision(bare)


async def test_a_full_stream_refuses_what_is_new_and_keeps_what_it_has(
    bare: BusSettings, operator: JetStreamContext
) -> None:
    await operator.add_stream(replace(stream_config(), max_bytes=2_000))
    await provision(bare)
    await operator.publish("mw.first", b"x" * 1_500)
    with pytest.raises(APIError, match="maximum bytes exceeded"):
        await operator.publish("mw.second", b"x" * 1_500)
    assert (await operator.stream_info(STREAM)).state.first_seq == 1


async def test_a_single_message_cannot_be_deleted_but_a_run_can_be_purged(
    bare: BusSettings, operator: JetStreamContext
) -> None:
    await provision(bare)
    for run in ("a", "b"):
        await operator.publish(f"mw.run.succeeded.{run}.planner.1", b"{}")
    with pytest.raises(APIError, match="delete not permitted"):
        await operator.delete_msg(STREAM, 1)
    await operator.purge_stream(STREAM, subject="mw.*.*.a.>")
    assert (await operator.stream_info(STREAM)).state.messages == 1


async def test_a_service_without_a_stream_names_the_mend_and_creates_none(
    bare: BusSettings, operator: JetStreamContext
) -> None:
    app = App("planner", bare)
    with pytest.raises(BusUnavailableError, match=r"`millwright migrate`.*`millwright rebuild-stream`"):
        await app.start()
    with pytest.raises(NotFoundError):
        await operator.stream_info(STREAM)


async def test_a_service_waits_for_a_stream_that_is_on_its_way(bare: BusSettings) -> None:
    app = App("planner", bare.model_copy(update={"bus_connect_timeout_s": 30.0}))
    starting = asyncio.create_task(app.start())
    await asyncio.sleep(0.5)
    assert not starting.done()
    await provision(bare)
    await starting
    assert await app.health() == []
    await app.stop()


async def test_a_service_whose_stream_is_lost_says_so_and_goes_on_when_it_is_back(
    bare: BusSettings, operator: JetStreamContext, ask_for: Ask, refuse: Refuse, eventually: Eventually
) -> None:
    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return refuse(request)

    async def says(problems: list[str]) -> bool:
        return await app.health() == problems

    await provision(bare)
    app = App("sim-worker", bare)
    app.answers(SimulationRequested, simulate)
    await app.start()
    await operator.delete_stream(STREAM)
    await eventually(lambda: says([STREAM_LOST]))
    await asyncio.sleep(3 * bare.bus_watch_s)
    assert await app.health() == [STREAM_LOST]  # nobody put an empty one in its place
    await provision(bare)
    assert isinstance(await app.bus.ask(ask_for()), SimulationFailed)
    await eventually(lambda: says([]))
    await app.stop()
