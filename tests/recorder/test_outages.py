"""Outages of Postgres, stopped or hanging, while messages arrive: nothing is lost and recording resumes by itself."""

import asyncio
import signal
from collections.abc import Iterator

import pytest
from chassis.app import App
from chassis.stream.lag import measure_lag
from contracts.envelope import Event
from recorder.settings import Settings
from store.database import Database
from store.errors import DatabaseUnavailableError
from store.log import EventLog
from store.migrate import migrate

from tests.backups.own_postgres import OwnPostgres, started
from tests.store.example_runs import new_request, session_events

PUBLISH_INTERVAL_S = 0.02
COMMAND_TIMEOUT_S = 3.0
"""A loaded machine answers in that; a longer answer is an outage."""


@pytest.fixture(scope="module")
def own_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnPostgres]:
    with started(tmp_path_factory.mktemp("postgres")) as own_postgres:
        yield own_postgres


@pytest.fixture
async def settings(own_postgres: OwnPostgres, nats_url: str) -> Settings:
    settings = Settings(
        nats_url=nats_url,
        database_url=own_postgres.postgres.url,
        database_command_timeout_s=COMMAND_TIMEOUT_S,
        database_connect_timeout_s=300.0,
        bus_retry_delay_s=0.1,
        recorder_lag_limit_s=1.0,
    )
    await migrate(settings)  # waits for the server as well
    return settings


async def wait_until_recorded(settings: Settings) -> None:
    while (await measure_lag(settings)).unrecorded:  # noqa: ASYNC110 - the server sends no notification
        await asyncio.sleep(0.05)


async def wait_until_waiting(recorder: App) -> None:
    """Wait until the recorder names what it waits for; how long that takes depends on the machine's load."""
    async with asyncio.timeout(120):
        while not any("waits since" in problem for problem in await recorder.health()):  # noqa: ASYNC110 - nothing notifies
            await asyncio.sleep(0.2)


async def publish(app: App, events: list[Event]) -> None:
    for event in events:
        await app.bus.publish(event)
        await asyncio.sleep(PUBLISH_INTERVAL_S)


async def recorded_events(settings: Settings, event: Event) -> list[Event]:
    database = Database(settings)
    try:
        return await EventLog(database.engine).events_of(event.run_id)
    finally:
        await database.stop()


async def wait_until_healthy(recorder: App) -> None:
    """A purge that the outage met is reported for a minute: on a loaded machine the first one may not have ended."""
    async with asyncio.timeout(120):
        while await recorder.health():  # noqa: ASYNC110 - nothing notifies
            await asyncio.sleep(0.2)


async def test_recording_resumes_after_postgres_restarts(recorder: App, settings: Settings, own_postgres: OwnPostgres):
    request = new_request()
    events = [request, *session_events(request, 200)]
    publishing = asyncio.create_task(publish(recorder, events))
    await asyncio.sleep(0.5)
    own_postgres.stop()
    await asyncio.sleep(3)
    await wait_until_waiting(recorder)
    lag = await recorder.lag()
    problems = await recorder.health()
    own_postgres.start()
    await publishing
    await wait_until_recorded(settings)
    assert await recorded_events(settings, request) == events
    await wait_until_healthy(recorder)
    assert lag.unrecorded > 0
    assert lag.age_s > 1
    assert any("recorder lag:" in problem for problem in problems)


async def test_recording_resumes_after_postgres_hangs(recorder: App, settings: Settings, own_postgres: OwnPostgres):
    request = new_request()
    events = [request, *session_events(request, 150)]
    publishing = asyncio.create_task(publish(recorder, events))
    await asyncio.sleep(0.5)
    own_postgres.send(signal.SIGSTOP)
    await wait_until_waiting(recorder)
    own_postgres.send(signal.SIGCONT)
    await publishing
    await wait_until_recorded(settings)
    assert await recorded_events(settings, request) == events


async def test_start_waits_for_postgres_up_to_its_timeout(settings: Settings, own_postgres: OwnPostgres):
    own_postgres.stop()
    short = Database(settings.model_copy(update={"database_connect_timeout_s": 0.5}))
    with pytest.raises(DatabaseUnavailableError, match="check DATABASE_URL"):
        await short.start()
    long = Database(settings)
    starting = asyncio.create_task(long.start())
    await asyncio.sleep(1)
    assert not starting.done()
    own_postgres.start()
    await starting
    await long.stop()
    await short.stop()
