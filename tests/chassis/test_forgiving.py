"""Bytes that no client of ours would send, but the server takes."""

import socket
from collections.abc import Awaitable, Callable
from typing import Protocol

import pytest
from chassis.app import App
from chassis.delivery.dead_letter import OPERATIONS_RUN
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.simulation import SimulationFailed, SimulationRequested

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
UntilSettled = Callable[[str], Awaitable[None]]

STEM = SimulationRequested.subject.encode()


class Server(Protocol):
    port: int


def _said_raw(server: Server, words: bytes) -> None:
    """Speak the protocol ourselves: a client library would refuse."""
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.recv(65536)
        connection.sendall(b'CONNECT {"verbose":false,"headers":true,"name":"stranger"}\r\n' + words + b"PING\r\n")
        assert connection.recv(65536) == b"PONG\r\n"


def _with_headers(headers: bytes) -> bytes:
    return b"HPUB %s.some.where.else %d %d\r\n%s{}\r\n" % (STEM, len(headers), len(headers) + 2, headers)


@pytest.mark.parametrize(
    "words",
    [
        b"PUB %s.\xff\xfe.x.y 2\r\n{}\r\n" % STEM,
        _with_headers(b"NATS/1.0"),
        _with_headers(b"NATS/1.0\r\n"),
        _with_headers(b"NATS/1.0 \xff\xfe\xfd\r\n\r\n"),
        _with_headers(b"NATS/1.0 503 Go away\r\n\r\n"),
        _with_headers(b"NATS/1.0\r\nfoo\xff: \xff\r\n: nothing\r\nno header\r\n\r\n"),
        _with_headers(b"NATS/1.0\r\ntraceparent: 00-zz-\xff-01\r\n\r\n"),
    ],
)
async def test_a_message_that_the_client_cannot_read_is_abandoned_and_the_next_is_answered(
    server: Server, make_app: MakeApp, ask_for: Ask, refuse: Refuse, words: bytes
) -> None:
    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return refuse(request)

    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulate)
    await app.start()
    _said_raw(server, words)
    assert isinstance(await app.bus.ask(ask_for()), SimulationFailed)
    letter = await anext(aiter(app.bus.follow(OPERATIONS_RUN)))
    assert isinstance(letter, MessageAbandoned)
    assert letter.reason == "bad_input"
    assert await app.health() == []
