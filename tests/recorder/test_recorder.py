"""The recorder with a real broker and a real database."""
# nats-py does not type its options.
# pyright: reportUnknownMemberType=false

import asyncio
import os
import subprocess
import sys
from uuid import UUID

import pytest
from chassis.app import App
from chassis.errors import CannotStartError
from contracts.envelope import Event
from recorder.app import make_app
from recorder.settings import Settings
from store.log import EventLog

from tests.store.example_runs import new_request, run_success, session_events


@pytest.fixture
def settings(nats_url: str, database_url: str) -> Settings:
    return Settings(nats_url=nats_url, database_url=database_url, bus_retry_delay_s=0.05, bus_ack_wait_s=0.6)


async def recorded(log: EventLog, run_id: UUID, count: int) -> list[Event]:
    """Return the run's events when there are `count` of them; pytest's timeout is the limit."""
    while len(events := await log.events_of(run_id)) < count:  # noqa: ASYNC110 - a database sends no notification
        await asyncio.sleep(0.02)
    return events


async def test_whole_run_is_recorded_in_order(settings: Settings, log: EventLog, publisher: App):
    request = new_request()
    events = [request, *session_events(request, 30), run_success(request)]
    for event in events:
        assert await publisher.bus.publish(event)
    recorder = make_app(settings)
    await recorder.start()
    assert await recorded(log, request.run_id, len(events)) == events
    while await recorder.health():  # noqa: ASYNC110 - the server counts acknowledgements a moment later
        await asyncio.sleep(0.02)
    await recorder.stop()


async def test_two_recorders_record_each_event_once(settings: Settings, log: EventLog, publisher: App):
    request = new_request()
    events = session_events(request, 40)
    first, second = make_app(settings), make_app(settings)
    await first.start()
    await second.start()
    for event in events[:20]:
        await publisher.bus.publish(event)
    await first.stop()
    for event in events[20:]:
        await publisher.bus.publish(event)
    assert await recorded(log, request.run_id, 40) == events
    await second.stop()


async def test_start_without_tables_fails(nats_url: str, empty_database_url: str):
    recorder = make_app(Settings(nats_url=nats_url, database_url=empty_database_url))
    with pytest.raises(CannotStartError, match="run `millwright migrate`"):
        await recorder.start()


def test_process_without_tables_exits_with_one_line(nats_url: str, empty_database_url: str):
    environment = {"PATH": os.defpath, "NATS_URL": nats_url, "DATABASE_URL": empty_database_url}
    ended = subprocess.run(
        [sys.executable, "-m", "recorder"], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1].startswith("recorder: the database has no Millwright tables")
    assert "Traceback" not in ended.stderr


async def test_stream_above_its_limit_makes_the_recorder_unhealthy(settings: Settings, publisher: App):
    request = new_request()
    for event in (request, *session_events(request, 30)):
        assert await publisher.bus.publish(event)
    recorder = make_app(settings.model_copy(update={"recorder_stream_limit_mb": 0.001}))
    await recorder.start()
    while not any("RECORDER_STREAM_LIMIT_MB" in each for each in await recorder.health()):  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.02)
    await recorder.stop()
