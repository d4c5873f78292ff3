"""Migration of database and stream, which does not hide a loss."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from chassis.settings import BusSettings
from chassis.stream.provisioning import stream_exists
from contracts.events.run import EngineeringRequested
from local_stack.errors import UserError
from local_stack.migration import migrate_all
from local_stack.processes.supervisor import Supervisor
from local_stack.servers.nats import Nats
from local_stack.servers.ports import free_ports
from store.database import Database
from store.log import EventLog, LogEntry
from store.migrate import migrate, newest_version
from store.settings import DatabaseSettings

from tests.contracts.examples import full_examples


@pytest.fixture
def new_nats_url(tmp_path: Path) -> Iterator[str]:
    """A NATS server without a stream."""
    supervisor = Supervisor()
    nats = Nats(tmp_path / "nats", free_ports(1, ())[0], "secret", tmp_path / "nats.log")
    supervisor.launch([nats])
    supervisor.wait_until_ready()
    yield nats.url
    supervisor.stop()


async def test_migrate_creates_tables_and_stream_once(empty_database_url: str, new_nats_url: str) -> None:
    servers = {"DATABASE_URL": empty_database_url, "NATS_URL": new_nats_url}
    version = f"the database is at version {newest_version()}"
    assert (await migrate_all(servers))[:2] == [version, "stream MILLWRIGHT was created"]
    assert await stream_exists(BusSettings(nats_url=new_nats_url))
    assert await migrate_all(servers) == [version, "the stream is up to date"]


async def test_migrate_does_not_replace_a_lost_stream(empty_database_url: str, new_nats_url: str) -> None:
    await _record_a_run(DatabaseSettings(database_url=empty_database_url))
    with pytest.raises(UserError, match="`millwright rebuild-stream`"):
        await migrate_all({"DATABASE_URL": empty_database_url, "NATS_URL": new_nats_url})
    assert not await stream_exists(BusSettings(nats_url=new_nats_url))


async def _record_a_run(settings: DatabaseSettings) -> None:
    await migrate(settings)
    database = Database(settings)
    request = full_examples()[EngineeringRequested]
    entry = LogEntry(event=request, body=request.model_dump_json().encode(), stream_sequence=7)
    await EventLog(database.engine).append([entry])
    await database.stop()
