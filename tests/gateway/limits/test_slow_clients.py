"""Clients that send half a request, nothing, or take nothing: others are served meanwhile, and they are left."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx
import pytest
from gateway.http.connections import YOUNG_S, WaitingConnections
from gateway.settings import Settings

from tests.gateway.gateway_client import RunningGateway, running

HALF = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
HALF_SIGN_IN = (
    b"POST /pages/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 1000\r\n\r\ntoken="
)
EARLY = b"POST /runs HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\n{"
"""It is refused before its body is complete."""
MANY = 1100
WAIT_S = 120

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def connections(gateway: RunningGateway, count: int, sent: bytes) -> AsyncGenerator[list[Streams]]:
    """Open connections that send this and nothing more."""
    port = httpx.URL(gateway.app.url).port
    opened: list[Streams] = []
    for _ in range(count):
        opened.append(await asyncio.open_connection("127.0.0.1", port))
        opened[-1][1].write(sent)
    yield opened
    for _, writer in opened:
        writer.close()


async def rest(reader: asyncio.StreamReader) -> bytes:
    """Return what the server sends until it closes the connection."""
    async with asyncio.timeout(WAIT_S):
        try:
            return await reader.read()
        except ConnectionError:
            return b""


@pytest.mark.sample(1)
@pytest.mark.parametrize("sent", [b"", HALF, HALF_SIGN_IN])
async def test_requests_are_answered_beside_many_half_sent_ones(gateway: RunningGateway, sent: bytes) -> None:
    async with connections(gateway, MANY, sent) as slow:
        for _ in range(20):
            assert (await gateway.client.get("/health")).status_code == 200
        async with httpx.AsyncClient(base_url=gateway.app.url, trust_env=False) as newcomer:
            assert (await newcomer.get("/health")).status_code == 200
        await rest(slow[0][0])  # the one that has waited longest made way


@pytest.mark.parametrize("sent", [b"", HALF, HALF_SIGN_IN, EARLY])
async def test_half_sent_request_ends(gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    for limit in ("connections.HEADERS_S", "connections.LINGER_S", "guard.BODY_TIMEOUT_S"):
        monkeypatch.setattr(f"gateway.http.{limit}", 0.2)
    async with connections(gateway, 1, sent) as ((reader, writer),):
        answer = await rest(reader)
        if sent in {HALF, HALF_SIGN_IN}:
            assert answer.startswith(b"HTTP/1.1 408")
        writer.close()


async def test_headers_that_trickle_do_not_prolong_the_time(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.http.connections.HEADERS_S", 0.5)
    async with connections(gateway, 1, HALF) as ((reader, writer),):
        answer = asyncio.create_task(rest(reader))
        while not answer.done():
            writer.write(b"x")
            await asyncio.sleep(0.02)
        assert answer.result()[:12] in {b"HTTP/1.1 408", b""}  # a byte after the answer resets the connection


async def test_second_request_of_a_connection_has_the_same_limit(
    gateway: RunningGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.http.connections.HEADERS_S", 0.2)
    whole = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    async with connections(gateway, 1, whole) as ((reader, writer),):
        await reader.readuntil(b"}")
        writer.write(HALF)
        assert (await rest(reader)).startswith(b"HTTP/1.1 408")


async def test_client_that_reads_nothing_is_left(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {"gateway_write_timeout_s": 0.3}
    async with running(settings.model_copy(update=limits)) as gateway:
        ask = b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        async with connections(gateway, 1, ask * 100):
            held = gateway.app.server.connections  # a client that reads nothing sees no end either
            async with asyncio.timeout(WAIT_S):
                while not held:  # noqa: ASYNC110 - uvicorn sends no notification
                    await asyncio.sleep(0.01)
                while held:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)


class _Slow:
    def __init__(self) -> None:
        self.has_left = False

    def leave(self) -> None:
        self.has_left = True


def test_address_that_floods_loses_its_own_oldest_connections() -> None:
    now_s = [0.0]
    waiting = WaitingConnections(3, 8, lambda address: address == "proxy", lambda: now_s[0])
    neighbour, served, slow, later = _Slow(), _Slow(), [_Slow() for _ in range(4)], [_Slow() for _ in range(2)]
    waiting.add(neighbour, "neighbour", was_served=False)
    waiting.add(served, "flood", was_served=True)
    for each in slow:
        waiting.add(each, "flood", was_served=False)
    assert not any(each.has_left for each in slow), "their first bytes may be under way"
    now_s[0] += YOUNG_S
    for each in later:
        waiting.add(each, "flood", was_served=False)
    assert [each.has_left for each in (*slow, *later)] == [True, True, True, True, False, False]
    assert not neighbour.has_left
    assert not served.has_left


def test_all_addresses_together_are_limited() -> None:
    waiting = WaitingConnections(3, 5, lambda address: address == "proxy")
    slow = [_Slow() for _ in range(7)]
    for each in slow:
        waiting.add(each, "proxy", was_served=False)
    assert [each.has_left for each in slow] == [True, True, False, False, False, False, False]
    for each in slow:
        waiting.remove(each)
    assert len(waiting) == 0
