"""A database that was restored from a backup gets back what the stream still holds."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
from chassis.administration.provisioning import provision
from chassis.app import App
from contracts.envelope import Event
from recorder.app import make_app
from recorder.settings import Settings
from sqlalchemy import text
from store.database import Database
from store.log import EventLog
from store.migrate import migrate

from tests.store.example_runs import new_request, run_failure, session_events
from tests.support.clusters.cluster import started
from tests.support.clusters.nats_server import NatsServer


@pytest.fixture
async def settings(bare_server: NatsServer, empty_database_url: str) -> Settings:
    settings = Settings(nats_url=bare_server.url, database_url=empty_database_url, bus_ack_wait_s=0.6)
    await provision(settings)
    await migrate(settings)
    return settings


@pytest.fixture
async def database(settings: Settings) -> AsyncIterator[Database]:
    database = Database(settings)
    yield database
    await database.stop()


async def until_recorded(log: EventLog, events: Sequence[Event]) -> None:
    async with asyncio.timeout(120):
        while await log.events_of(events[0].run_id) != list(events):  # noqa: ASYNC110 - a database does not notify
            await asyncio.sleep(0.05)


async def restore_backup(database: Database, up_to: int) -> None:
    """Bring the log back to an older state."""
    async with database.engine.begin() as connection:
        await connection.execute(text("DELETE FROM log.events WHERE stream_sequence > :up_to"), {"up_to": up_to})


@pytest.mark.parametrize("recorder_works", [False, True], ids=["between two starts", "while the recorder waits"])
async def test_gap_after_a_restored_backup_is_recorded_again(
    settings: Settings, database: Database, recorder_works: bool
) -> None:
    log, request = EventLog(database.engine), new_request()
    before = [request, *session_events(request, 9)]
    after = run_failure(request)
    publisher = App("planner", settings)
    async with started(publisher):
        recorder = make_app(settings)
        await recorder.start()
        for event in before:
            await publisher.bus.publish(event)
        await until_recorded(log, before)
        if not recorder_works:
            await recorder.stop()
        await restore_backup(database, up_to=4)
        if not recorder_works:
            recorder = make_app(settings)
            await recorder.start()
            await until_recorded(log, before)
        await publisher.bus.publish(after)
        await until_recorded(log, [*before, after])
        await recorder.stop()
