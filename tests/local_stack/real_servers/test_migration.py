"""Migration of database and stream, which hides no loss."""
# nats-py does not type its options.
# pyright: reportUnknownMemberType=false

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from chassis.administration.provisioning import connect_as_admin, stream_exists
from chassis.app import App
from chassis.delivery.batch_reader import RawMessage
from chassis.settings import BusSettings
from chassis.subjects import STREAM
from contracts.envelope import Event
from contracts.events.run import EngineeringRequested
from contracts.events.session import SessionOpened
from contracts.registry import parse
from local_stack.errors import UserError
from local_stack.migration import migrate_all, rebuild_stream
from local_stack.processes.supervisor import Supervisor
from local_stack.servers.nats import Nats
from local_stack.servers.ports import free_ports
from store.database import Database
from store.log import EventLog, LogEntry
from store.migrate import migrate, newest_version
from store.settings import DatabaseSettings

from tests.contracts.examples import full_examples
from tests.store.example_runs import log_entries, new_request, run_failure, session_events
from tests.support.clusters.cluster import started


@pytest.fixture
def new_nats_url(tmp_path: Path) -> Iterator[str]:
    """A NATS server without a stream."""
    supervisor = Supervisor()
    nats = Nats(tmp_path / "nats", free_ports(1)[0], "secret", tmp_path / "nats.log")
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


async def test_migrate_restores_the_lost_end_of_a_stream(empty_database_url: str, new_nats_url: str) -> None:
    servers = {"DATABASE_URL": empty_database_url, "NATS_URL": new_nats_url}
    await migrate_all(servers)
    request, ended = new_request(), new_request()
    begin, lost = [request, ended, *session_events(request, 3)], [*session_events(request, 6)[3:], run_failure(ended)]
    await _record(DatabaseSettings(database_url=empty_database_url), [*begin, *lost])
    app = App("planner", BusSettings(nats_url=new_nats_url))
    consumed = list[Event]()
    app.records(partial(_note, consumed), 100)
    await app.start()
    for event in begin:
        await app.bus.publish(event)
    await app.stop()

    repaired, *_ = (await migrate_all(servers))[1:]
    assert "it ended at 5, and Postgres has recorded up to 9): 4 messages were restored" in repaired
    assert (await migrate_all(servers))[1:] == ["the stream is up to date"]
    async with connect_as_admin(BusSettings(nats_url=new_nats_url)) as js:
        state = (await js.stream_info(STREAM)).state
    assert (state.messages, state.last_seq) == (9, 13)  # no number is used again
    app = App("planner", BusSettings(nats_url=new_nats_url))
    app.records(partial(_note, consumed), 100)
    async with started(app):
        assert await app.bus.history(request.run_id) == [request, *session_events_of(begin), *lost[:3]]
        assert await app.bus.ended(ended.run_id) == lost[3]
        async with asyncio.timeout(120):
            while len(consumed) < 9:  # noqa: ASYNC110 - servers send no notification
                await asyncio.sleep(0.05)
    assert consumed == [*begin, *lost]


async def test_migrate_leaves_the_stream_of_another_project_alone(empty_database_url: str, new_nats_url: str) -> None:
    servers = {"DATABASE_URL": empty_database_url, "NATS_URL": new_nats_url}
    await migrate_all(servers)
    await _record_a_run(DatabaseSettings(database_url=empty_database_url))
    foreign = new_request()
    app = App("cli", BusSettings(nats_url=new_nats_url))
    async with started(app):
        await app.bus.publish(foreign)
        with pytest.raises(UserError, match="begins with a message that Postgres lacks"):
            await migrate_all(servers)
        assert await app.bus.history(foreign.run_id) == [foreign]


@pytest.mark.parametrize("count", [2, 9])
async def test_stream_of_another_history_is_refused_until_it_is_replaced(
    count: int, empty_database_url: str, new_nats_url: str
) -> None:
    """A backup restored beside the stream of a stack that has begun again, which is shorter or longer than it."""
    servers = {"DATABASE_URL": empty_database_url, "NATS_URL": new_nats_url}
    await migrate_all(servers)
    request = new_request()
    recorded = [request, *session_events(request, 3)]
    await _record(DatabaseSettings(database_url=empty_database_url), recorded)
    app = App("cli", BusSettings(nats_url=new_nats_url))
    async with started(app):
        for _ in range(count):
            await app.bus.publish(new_request())
    with pytest.raises(UserError, match=r"another history.*rebuild-stream --replace` deletes its \d messages"):
        await migrate_all(servers)
    with pytest.raises(UserError, match="rebuild-stream --replace"):
        await rebuild_stream(servers, print)
    await rebuild_stream(servers, print, replaces=True)
    assert (await migrate_all(servers))[1:] == ["the stream is up to date"]
    app = App("planner", BusSettings(nats_url=new_nats_url))
    async with started(app):
        assert await app.bus.history(request.run_id) == recorded


async def _note(consumed: list[Event], batch: Sequence[RawMessage]) -> None:
    consumed += [parse(message.subject, message.data) for message in batch]


def session_events_of(events: Sequence[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, SessionOpened)]


async def _record(settings: DatabaseSettings, events: Sequence[Event]) -> None:
    database = Database(settings)
    await EventLog(database.engine).append(log_entries(*events))
    await database.stop()


async def _record_a_run(settings: DatabaseSettings) -> None:
    await migrate(settings)
    database = Database(settings)
    request = full_examples()[EngineeringRequested]
    entry = LogEntry(event=request, body=request.model_dump_json().encode(), stream_sequence=7)
    await EventLog(database.engine).append([entry])
    await database.stop()
