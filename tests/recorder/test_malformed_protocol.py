"""Messages that only a client without our libraries can publish."""

import asyncio

import pytest
from chassis.administration.provisioning import provision
from contracts.envelope import Event
from recorder.app import make_app
from recorder.settings import Settings
from store.database import Database
from store.log import EventLog

from tests.store.example_runs import new_request
from tests.support.clusters.nats_server import NatsServer

COMMANDS = (
    b"PUB mw.a.\xff.c 3\r\nabc\r\n",
    b"PUB mw.a.\x00.c 3\r\nabc\r\n",
    b"HPUB mw.a.b.c 19 22\r\nNATS/1.0\r\n\xff: \x00\r\n\r\nabc\r\n",
    b"HPUB mw.a.b.c 10 13\r\nNATS/9.9\r\nabc\r\n",
)


async def _send(port: int, command: bytes) -> None:
    """Send a protocol command; the server may refuse it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await reader.readline()
    writer.write(b'CONNECT {"verbose": false, "headers": true}\r\n' + command + b"PING\r\n")
    await reader.readline()
    writer.close()
    await writer.wait_closed()


@pytest.mark.sample(2)
@pytest.mark.parametrize("command", COMMANDS, ids=["not UTF-8", "NUL", "header", "headers of another version"])
async def test_malformed_messages_do_not_stop_the_recorder(bare_server: NatsServer, database_url: str, command: bytes):
    settings = Settings(nats_url=bare_server.url, database_url=database_url, bus_ack_wait_s=0.6)
    await provision(settings)
    recorder, database, request = make_app(settings), Database(settings), new_request()
    await recorder.start()
    log = EventLog(database.engine)
    await _send(bare_server.port, command)
    await recorder.bus.publish(request)

    async def recorded() -> list[Event]:
        return await log.events_of(request.run_id)

    while await recorded() != [request]:  # noqa: ASYNC110 - a database sends no notification
        await asyncio.sleep(0.05)
    while (await recorder.lag()).unrecorded:  # noqa: ASYNC110 - nor does the server
        await asyncio.sleep(0.05)
    assert await recorder.health() == []
    await recorder.stop()
    await database.stop()
