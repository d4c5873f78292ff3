"""The registry of servers on a real NATS server: entries expire and are replaced; malformed ones are left out."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from pathlib import Path

import pytest
from chassis.errors import BusUnavailableError
from chassis.servers.access import open_registry
from chassis.servers.look_up import AnnouncedServers
from chassis.servers.registry import BUCKET_STREAM, EVERY_KEY, AnnouncedServer
from chassis.settings import BusSettings
from nats.js import JetStreamContext
from pydantic import ValidationError

from tests.support.clusters.nats_server import NatsServer
from tests.support.clusters.server_registry import registry_in

GPU = AnnouncedServer(kind="perception", url="http://gpu-1:8500", ttl_s=600)
VLLM = AnnouncedServer(kind="model", url="http://gpu-2:8000/v1", model="openai:Qwen/Qwen3-VL", ttl_s=600)


async def test_announced_servers_are_found_by_kind_until_they_are_withdrawn(tmp_path: Path) -> None:
    async with registry_in(tmp_path, "perception") as (registry, announced):
        assert await announced.current() == ()
        await registry.announce(GPU)
        await registry.announce(VLLM)
        assert await announced.current() == (GPU,)
        assert sorted(each.server.url for each in await registry.read()) == [GPU.url, VLLM.url]
        await registry.announce(GPU.model_copy(update={"busy": 3}))
        assert [each.busy for each in await announced.current()] == [3]
        await registry.withdraw(GPU)
        assert await announced.current() == ()


async def test_entry_that_is_not_announced_again_expires(tmp_path: Path) -> None:
    async with registry_in(tmp_path, "perception") as (registry, announced):
        await registry.announce(GPU.model_copy(update={"ttl_s": 0.5}))
        seldom = AnnouncedServers(announced._registry._js, "perception", read_every_s=3600)  # pyright: ignore[reportPrivateUsage]
        assert len(await seldom.current()) == 1
        async with asyncio.timeout(30):
            while await announced.current():  # noqa: ASYNC110 - time alone ends it
                await asyncio.sleep(0.05)
        assert await seldom.current() == ()  # without having read again
        assert await registry.read() == []


async def test_malformed_entry_is_logged_and_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with registry_in(tmp_path, "perception") as (registry, announced):
        await registry.announce(GPU)
        js: JetStreamContext = announced._registry._js()  # pyright: ignore[reportPrivateUsage]
        await js.publish(f"{EVERY_KEY[:-1]}perception.mine", b'{"kind": "perception", "url": "gpu-3"}')
        assert await announced.current() == (GPU,)
    assert "perception.mine is malformed" in caplog.text


async def test_reader_keeps_what_it_knows_while_the_registry_is_gone(tmp_path: Path) -> None:
    async with registry_in(tmp_path, "perception") as (registry, announced):
        await registry.announce(GPU)
        assert await announced.current() == (GPU,)
        await announced._registry._js().delete_stream(BUCKET_STREAM)  # pyright: ignore[reportPrivateUsage]
        assert await announced.current() == (GPU,)


async def test_server_without_the_bucket_is_reported_with_the_fix(bare_server: NatsServer) -> None:
    with pytest.raises(BusUnavailableError, match="create it with `millwright migrate`"):
        async with open_registry(BusSettings(nats_url=bare_server.url)) as registry:
            await registry.read()


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "model", "url": "http://x/v1"},
        {"kind": "perception", "url": "http://x", "model": "openai:a"},
        {"kind": "perception", "url": "ftp://x"},
        {"kind": "perception", "url": "http://user:password@x"},
        {"kind": "perception", "url": "http://x", "ttl_s": 10**6},
    ],
)
def test_unusable_entry_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        AnnouncedServer.model_validate({"ttl_s": 10, **fields})
