"""The recorder on a real broker and a real database."""
# nats-py leaves its options untyped.
# pyright: reportUnknownMemberType=false

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import nats
import pytest
from chassis.app import App
from chassis.errors import CannotStartError
from chassis.settings import BusSettings
from contracts.envelope import Event
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.session import CellCompleted
from contracts.models.observation import Observation
from recorder.app import make_app
from recorder.settings import Settings
from store.database import Database
from store.log import EventLog, UnreadableMessage

from tests.store.example_runs import new_run, notes_of, success_of


@pytest.fixture
def settings(nats_url: str, database_url: str) -> Settings:
    return Settings(nats_url=nats_url, database_url=database_url, bus_retry_delay_s=0.05, bus_ack_wait_s=0.6)


@pytest.fixture
async def log(settings: Settings) -> AsyncIterator[EventLog]:
    database = Database(settings)
    yield EventLog(database.engine)
    await database.stop()


@pytest.fixture
async def teller(nats_url: str) -> AsyncIterator[App]:
    """Somebody who publishes."""
    app = App("teller", BusSettings(nats_url=nats_url))
    await app.start()
    yield app
    await app.stop()


async def recorded(log: EventLog, run_id: UUID, count: int) -> list[Event]:
    """Return the run's events once there are `count` of them; pytest's timeout is the limit."""
    while len(events := await log.events_of(run_id)) < count:  # noqa: ASYNC110 - a database tells nobody
        await asyncio.sleep(0.02)
    return events


async def unreadable(log: EventLog, subject: str) -> UnreadableMessage:
    while subject not in (kept := {each.subject: each for each in await log.unreadable()}):  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.02)
    return kept[subject]


async def test_a_run_can_be_told_from_the_log_after_the_broker_is_forgotten(
    settings: Settings, log: EventLog, teller: App
):
    request = new_run()
    events = [request, *notes_of(request, 30), success_of(request)]
    for event in events:
        assert await teller.bus.publish(event)
    recorder = make_app(settings)
    await recorder.start()
    assert await recorded(log, request.run_id, len(events)) == events
    assert await recorder.health() == []
    await recorder.stop()


async def test_what_an_agent_prints_and_what_strangers_send_does_not_stop_it(
    settings: Settings, log: EventLog, teller: App, nats_url: str
):
    request = new_run()
    printed = CellCompleted.deciding(
        request, "engineer", 1, observation=Observation(status="ok", output="\0\x1b[31m\ufffe \U0001f529")
    )
    poisoned = CellCompleted.answering(request, "cad\0worker", observation=Observation(status="ok"))
    recorder = make_app(settings)
    await recorder.start()
    stranger = await nats.connect(nats_url)
    nonsense = f"mw.nonsense.said.{request.run_id}.engineer.{uuid4()}"
    surrogate = b'{"producer": "\\ud800", "x": "\xed\xa0\x80"}'
    await stranger.jetstream().publish(nonsense, surrogate)
    await stranger.jetstream().publish(poisoned.full_subject, poisoned.model_dump_json().encode())
    await stranger.close()
    assert await teller.bus.publish(printed)
    told = await recorded(log, request.run_id, 3)
    assert [event for event in told if not isinstance(event, MessageAbandoned)] == [poisoned, printed]
    assert (await unreadable(log, nonsense)).data == surrogate
    await recorder.stop()


async def test_two_recorders_and_a_restart_record_each_event_once(settings: Settings, log: EventLog, teller: App):
    request = new_run()
    notes = notes_of(request, 40)
    first, second = make_app(settings), make_app(settings)
    await first.start()
    await second.start()
    for note in notes[:20]:
        await teller.bus.publish(note)
    await first.stop()
    for note in notes[20:]:
        await teller.bus.publish(note)
    assert await recorded(log, request.run_id, 40) == notes
    await second.stop()


async def test_without_tables_it_does_not_start(nats_url: str, empty_database_url: str):
    recorder = make_app(Settings(nats_url=nats_url, database_url=empty_database_url))
    with pytest.raises(CannotStartError, match="run `millwright migrate`"):
        await recorder.start()


def test_the_process_says_so_in_one_line(nats_url: str, empty_database_url: str):
    environment = {"PATH": os.defpath, "NATS_URL": nats_url, "DATABASE_URL": empty_database_url}
    ended = subprocess.run(
        [sys.executable, "-m", "recorder"], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1].startswith("recorder: the database has no tables of ours")
    assert "Traceback" not in ended.stderr
