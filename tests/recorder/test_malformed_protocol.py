"""What only somebody without our libraries can say."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from chassis.stream.provisioning import provision
from contracts.envelope import Event
from recorder.app import make_app
from recorder.settings import Settings
from store.database import Database
from store.log import EventLog

from tests.chassis.conftest import Server
from tests.store.example_runs import new_run

SAID = (
    b"PUB mw.a.\xff.c 3\r\nabc\r\n",
    b"PUB mw.a.\x00.c 3\r\nabc\r\n",
    b"HPUB mw.a.b.c 19 22\r\nNATS/1.0\r\n\xff: \x00\r\n\r\nabc\r\n",
    b"HPUB mw.a.b.c 10 13\r\nNATS/9.9\r\nabc\r\n",
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "nats")
    server.start()
    yield server
    server.stop()


async def _say(port: int, line: bytes) -> None:
    """Speak the protocol itself; the server may refuse."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await reader.readline()
    writer.write(b'CONNECT {"verbose": false, "headers": true}\r\n' + line + b"PING\r\n")
    await reader.readline()
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize("line", SAID, ids=["no UTF-8", "NUL", "header", "headers of another version"])
async def test_what_no_client_of_ours_would_say_stops_nobody(server: Server, database_url: str, line: bytes):
    settings = Settings(nats_url=server.url, database_url=database_url, bus_ack_wait_s=0.6)
    await provision(settings)
    recorder, database, request = make_app(settings), Database(settings), new_run()
    await recorder.start()
    log = EventLog(database.engine)
    await _say(server.port, line)
    await recorder.bus.publish(request)

    async def told() -> list[Event]:
        return await log.events_of(request.run_id)

    while await told() != [request]:  # noqa: ASYNC110 - a database tells nobody
        await asyncio.sleep(0.05)
    while (await recorder.lag()).unrecorded:  # noqa: ASYNC110 - nor does the server
        await asyncio.sleep(0.05)
    assert await recorder.health() == []
    await recorder.stop()
    await database.stop()
