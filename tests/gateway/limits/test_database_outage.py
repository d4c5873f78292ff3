"""Postgres away or frozen: every answer comes at once and names it, and nothing is restarted for that."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx
import pytest
from gateway.settings import Settings
from local_stack.servers.ports import free_ports
from sqlalchemy import make_url

from tests.gateway.gateway_client import RunningGateway, problem_of, running

WAIT_S = 120.0
FAR_S = 600.0
"""Limits of queries and requests: what answers did not wait for them."""


class Relay:
    """Stands between a gateway and Postgres."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._flows = asyncio.Event()
        self._flows.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def open(self) -> None:
        """Accept connections, at the same port again."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        """End all connections, and refuse others."""
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()

    def freeze(self) -> None:
        """Accept connections, and pass nothing on."""
        self._flows.clear()

    def thaw(self) -> None:
        """Pass on what came meanwhile."""
        self._flows.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._target)
        self._writers |= {writer, far_writer}
        await asyncio.gather(self._pass(reader, far_writer), self._pass(far_reader, writer))
        self._writers -= {writer, far_writer}

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                await self._flows.wait()
                writer.write(data)
        except ConnectionError:
            pass
        finally:
            writer.close()


@pytest.fixture
async def relay(settings: Settings) -> AsyncIterator[Relay]:
    url = make_url(settings.database_url)
    relay = Relay(url.host or "", url.port or 0)
    await relay.open()
    yield relay
    relay.thaw()
    relay.close()


@asynccontextmanager
async def behind(relay: Relay, settings: Settings) -> AsyncGenerator[RunningGateway]:
    """A gateway that reaches Postgres through a relay, and answers probes."""
    url = make_url(settings.database_url).set(host="127.0.0.1", port=relay.port)
    limits: dict[str, Any] = dict.fromkeys(("gateway_request_timeout_s", "database_command_timeout_s"), FAR_S)
    given = {**limits, "health_port": free_ports(1)[0], "database_url": url.render_as_string(hide_password=False)}
    async with running(settings.model_copy(update=given)) as gateway:
        assert (await gateway.client.get("/health")).status_code == 200
        yield gateway


async def probed(gateway: RunningGateway, path: str) -> httpx.Response:
    """Return the answer to a probe of an orchestrator."""
    server = gateway.app.health_server()
    assert server is not None
    await server.start()
    server.is_started = True
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", trust_env=False) as client:
            return await client.get(path, timeout=WAIT_S)
    finally:
        await server.stop()


async def until_healthy(gateway: RunningGateway) -> None:
    async with asyncio.timeout(WAIT_S):
        while (await gateway.client.get("/health")).status_code != 200:  # noqa: ASYNC110 - there is no notification
            await asyncio.sleep(0.05)


@pytest.mark.sample(1)
@pytest.mark.parametrize("is_frozen", [True, False])
async def test_answers_name_postgres_while_it_is_away(settings: Settings, relay: Relay, is_frozen: bool) -> None:
    async with behind(relay, settings) as gateway:
        assert (await gateway.client.get("/runs")).status_code == 200
        relay.freeze() if is_frozen else relay.close()
        async with asyncio.timeout(WAIT_S):
            assert "Postgres" in problem_of(await gateway.client.get("/runs"), 503)
            page = await gateway.client.get("/pages/runs")
            assert page.status_code == 503
            assert "Postgres" in page.text
            assert "Postgres" in problem_of(await gateway.client.get(f"/runs/{uuid4()}/events"), 503)
            while (health := await gateway.client.get("/health")).status_code == 200:  # noqa: ASYNC110
                await asyncio.sleep(0.05)  # it is noticed a moment later
            assert any("Postgres" in each for each in health.json()["problems"])
            assert (await gateway.client.get("/benchmarks")).status_code == 200, "it needs no Postgres"
        ready = await probed(gateway, "/ready")
        assert ready.status_code == 503
        assert "Postgres" in ready.text
        assert (await probed(gateway, "/live")).status_code == 200, "a restart would not help"
        if is_frozen:
            relay.thaw()
        else:
            await relay.open()
        await until_healthy(gateway)
        assert (await gateway.client.get("/runs")).status_code == 200
