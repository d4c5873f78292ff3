"""Postgres goes away, or hangs, while messages flow: nothing is lost, and nobody has to do anything."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from chassis.app import App
from chassis.observability.lag import measure_lag
from contracts.envelope import Event
from local_stack.processes.program import Child
from local_stack.servers import postgres_home
from local_stack.servers.ports import free_ports
from local_stack.servers.postgres import Postgres
from recorder.app import make_app
from recorder.settings import Settings
from store.database import Database
from store.errors import DatabaseUnavailableError
from store.log import EventLog
from store.migrate import migrate

from tests.support.processes import descendants
from tests.store.runs import new_run, notes_of

SAID_EVERY_S = 0.02


class Mortal:
    """A Postgres of this test's own."""

    def __init__(self, folder: Path) -> None:
        self._stack = uuid4().hex
        place = postgres_home.place_for(folder, self._stack)
        self.postgres = Postgres(place, free_ports(1)[0], "secret", folder / "postgres.log")
        self.postgres.prepare()
        self._child: Child | None = None

    def start(self) -> None:
        self._child = Child(self.postgres.program())

    def stop(self) -> None:
        if self._child is not None:
            self._child.ask_to_stop()
            self._child.end(time.monotonic() + 10)
            self._child = None

    def send(self, what: signal.Signals) -> None:
        """Send a signal to the server and to all of its back ends."""
        assert self._child is not None
        for pid in (self._child.pid, *(process.pid for process in descendants(self._child.pid))):
            os.kill(pid, what)

    def erase(self) -> None:
        postgres_home.erase(self._stack)


@pytest.fixture(scope="module")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mortal]:
    mortal = Mortal(tmp_path_factory.mktemp("mortal"))
    mortal.start()
    yield mortal
    mortal.stop()
    mortal.erase()


@pytest.fixture
async def settings(mortal: Mortal, nats_url: str) -> Settings:
    settings = Settings(
        nats_url=nats_url,
        database_url=mortal.postgres.url,
        database_command_timeout_s=1.0,
        bus_retry_delay_s=0.1,
        recorder_lag_limit_s=1.0,
    )
    await migrate(settings)  # waits for the server, too
    return settings


@pytest.fixture
async def recorder(settings: Settings) -> AsyncIterator[App]:
    app = make_app(settings)
    await app.start()
    yield app
    await app.stop()


async def all_is_recorded(settings: Settings) -> None:
    while (await measure_lag(settings)).unrecorded:  # noqa: ASYNC110 - the server tells nobody
        await asyncio.sleep(0.05)


async def say(app: App, events: list[Event]) -> None:
    for event in events:
        await app.bus.publish(event)
        await asyncio.sleep(SAID_EVERY_S)


async def told(settings: Settings, event: Event) -> list[Event]:
    database = Database(settings)
    try:
        return await EventLog(database.engine).events_of(event.run_id)
    finally:
        await database.stop()


async def test_a_stopped_postgres_is_waited_out(recorder: App, settings: Settings, mortal: Mortal):
    request = new_run()
    events = [request, *notes_of(request, 200)]
    saying = asyncio.create_task(say(recorder, events))
    await asyncio.sleep(0.5)
    mortal.stop()
    await asyncio.sleep(3)
    lag = await recorder.lag()
    problems = await recorder.health()
    mortal.start()
    await saying
    await all_is_recorded(settings)
    assert await told(settings, request) == events
    assert await recorder.health() == []
    assert lag.unrecorded > 0
    assert lag.age_s > 1
    assert any("recorder lag:" in problem for problem in problems)
    assert any("waits since" in problem for problem in problems)


async def test_a_postgres_that_hangs_is_given_up_by_the_second_and_waited_out(
    recorder: App, settings: Settings, mortal: Mortal
):
    request = new_run()
    events = [request, *notes_of(request, 150)]
    saying = asyncio.create_task(say(recorder, events))
    await asyncio.sleep(0.5)
    mortal.send(signal.SIGSTOP)
    await asyncio.sleep(4)
    problems = await recorder.health()
    mortal.send(signal.SIGCONT)
    await saying
    await all_is_recorded(settings)
    assert await told(settings, request) == events
    assert any("waits since" in problem for problem in problems)


async def test_a_start_waits_for_postgres_and_not_for_ever(settings: Settings, mortal: Mortal):
    mortal.stop()
    impatient = Database(settings.model_copy(update={"database_connect_timeout_s": 0.5}))
    with pytest.raises(DatabaseUnavailableError, match="check DATABASE_URL"):
        await impatient.start()
    patient = Database(settings)
    starting = asyncio.create_task(patient.start())
    await asyncio.sleep(1)
    assert not starting.done()
    mortal.start()
    await starting
    await patient.stop()
    await impatient.stop()
