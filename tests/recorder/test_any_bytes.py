"""The recorder records messages with any content, and returns the content unchanged."""

import asyncio
from collections.abc import Iterator

import pytest
from chassis.delivery.batch_reader import RawMessage
from chassis.observability.metrics import Meters
from chassis.testing import FakeBus
from contracts.envelope import deciding
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.session import CellCompleted
from contracts.models.observation import Observation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recorder.event_metrics import EventMetrics
from recorder.handlers import record
from sqlalchemy import text
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.recorder.messages import raw_message
from tests.store.example_runs import new_request

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
ANY_SUBJECT = st.text(st.characters(exclude_categories=[]), max_size=30).map(lambda tail: f"mw.{tail}")
FEW_EXAMPLES = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """An event loop for all examples, since the database belongs to one."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def database(database_url: str, runner: asyncio.Runner) -> Iterator[Database]:
    """One connection for all examples."""
    database = Database(DatabaseSettings(database_url=database_url, database_command_timeout_s=300.0))
    yield database
    runner.run(database.stop())


async def _record(database: Database, batch: list[RawMessage], bus: FakeBus) -> EventLog:
    await record(batch, log := EventLog(database.engine), bus, EventMetrics(Meters("recorder")))
    return log


async def _delete_unreadable(database: Database, first: int) -> None:
    """Delete unreadable messages from a sequence on: other tests read the newest ones."""
    async with database.engine.begin() as connection:
        query = text("DELETE FROM log.unreadable WHERE stream_sequence >= :first")
        await connection.execute(query, {"first": first})


@FEW_EXAMPLES
@given(texts=st.lists(st.tuples(ANY_TEXT, ANY_TEXT), min_size=1, max_size=20))
def test_any_text_in_an_event_survives_recording(
    database: Database, runner: asyncio.Runner, texts: list[tuple[str, str]]
) -> None:
    request = new_request()
    events = [
        CellCompleted(**deciding(request, "engineer", step), observation=Observation(status="ok", output=output))
        for step, (output, _) in enumerate(texts)
    ]
    events = [
        event.model_copy(update={"producer": producer}) for event, (_, producer) in zip(events, texts, strict=True)
    ]
    batch = [
        raw_message(event.full_subject, event.model_dump_json().encode(), number) for number, event in enumerate(events)
    ]

    async def round_trip() -> None:
        log = await _record(database, batch, FakeBus())
        assert await log.events_of(request.run_id) == events

    runner.run(round_trip())


@FEW_EXAMPLES
@given(messages=st.lists(st.tuples(ANY_SUBJECT, st.binary(max_size=200)), min_size=1, max_size=20))
def test_any_bytes_at_any_subject_are_kept_and_reported(
    database: Database, runner: asyncio.Runner, messages: list[tuple[str, bytes]]
) -> None:
    first = 2**60
    batch = [raw_message(subject, data, first + number) for number, (subject, data) in enumerate(messages)]
    bus = FakeBus()

    async def round_trip() -> None:
        log = await _record(database, batch, bus)
        stored = {each.stream_sequence: each.data for each in await log.unreadable(10**6)}
        await _delete_unreadable(database, first)
        assert [stored.get(message.sequence) for message in batch] == [message.data for message in batch]

    runner.run(round_trip())
    assert len(bus.events) == len(batch)
    assert all(isinstance(event, MessageAbandoned) for event in bus.events)
