"""Bytes that no client of ours sends, but that the server accepts."""

import socket

import pytest
from chassis.delivery.dead_letter import OPERATIONS_RUN
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.simulation import SimulationFailed, SimulationRequested

from tests.chassis.fixture_types import MakeApp, MakeRequest
from tests.chassis.outcomes import simulate
from tests.support.clusters.nats_server import NatsServer

SUBJECT = SimulationRequested.subject.encode()


def _send(server: NatsServer, commands: bytes) -> None:
    """Send protocol commands over a socket, since a client library would refuse them."""
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.recv(65536)
        connection.sendall(b'CONNECT {"verbose":false,"headers":true,"name":"stranger"}\r\n' + commands + b"PING\r\n")
        assert connection.recv(65536) == b"PONG\r\n"


def _with_headers(headers: bytes) -> bytes:
    return b"HPUB %s.some.where.else %d %d\r\n%s{}\r\n" % (SUBJECT, len(headers), len(headers) + 2, headers)


@pytest.mark.parametrize(
    "commands",
    [
        b"PUB %s.\xff\xfe.x.y 2\r\n{}\r\n" % SUBJECT,
        _with_headers(b"NATS/1.0"),
        _with_headers(b"NATS/1.0\r\n"),
        _with_headers(b"NATS/1.0 \xff\xfe\xfd\r\n\r\n"),
        _with_headers(b"NATS/1.0 503 Go away\r\n\r\n"),
        _with_headers(b"NATS/1.0\r\nfoo\xff: \xff\r\n: nothing\r\nno header\r\n\r\n"),
        _with_headers(b"NATS/1.0\r\ntraceparent: 00-zz-\xff-01\r\n\r\n"),
    ],
)
async def test_malformed_message_is_abandoned_and_the_next_answered(
    server: NatsServer, make_app: MakeApp, make_request: MakeRequest, commands: bytes
) -> None:
    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulate)
    await app.start()
    _send(server, commands)
    assert isinstance(await app.bus.ask(make_request()), SimulationFailed)
    letter = await anext(aiter(app.bus.follow(OPERATIONS_RUN)))
    assert isinstance(letter, MessageAbandoned)
    assert letter.reason == "bad_input"
    assert await app.health() == []
