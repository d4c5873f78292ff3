"""Whatever a message holds, the recorder goes on, and what it holds comes back as it was."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from chassis.delivery.raw_reader import RawMessage
from chassis.testing import FakeBus
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.session import CellCompleted
from contracts.models.observation import Observation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recorder.handlers import record
from sqlalchemy import text
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.recorder.messages import recorded_as
from tests.store.example_runs import new_run

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
ANY_SUBJECT = st.text(st.characters(exclude_categories=[]), max_size=30).map(lambda tail: f"mw.{tail}")
RARELY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@asynccontextmanager
async def _recorded(database_url: str, batch: list[RawMessage], bus: FakeBus) -> AsyncGenerator[EventLog]:
    database = Database(DatabaseSettings(database_url=database_url))
    try:
        await record(batch, log := EventLog(database.engine), bus)
        yield log
    finally:
        await database.stop()


async def _forget(database_url: str, first: int) -> None:
    """Remove what has sequences that no real stream comes to: others look at the newest that is unreadable."""
    database = Database(DatabaseSettings(database_url=database_url))
    try:
        async with database.engine.begin() as connection:
            query = text("DELETE FROM log.unreadable WHERE stream_sequence >= :first")
            await connection.execute(query, {"first": first})
    finally:
        await database.stop()


@RARELY
@given(said=st.lists(st.tuples(ANY_TEXT, ANY_TEXT), min_size=1, max_size=20))
def test_any_text_that_an_event_holds_comes_back(database_url: str, said: list[tuple[str, str]]) -> None:
    request = new_run()
    events = [
        CellCompleted.deciding(request, "engineer", step, observation=Observation(status="ok", output=output))
        for step, (output, _) in enumerate(said)
    ]
    events = [
        event.model_copy(update={"producer": producer}) for event, (_, producer) in zip(events, said, strict=True)
    ]
    batch = [
        recorded_as(event.full_subject, event.model_dump_json().encode(), number) for number, event in enumerate(events)
    ]

    async def round_trip() -> None:
        async with _recorded(database_url, batch, FakeBus()) as log:
            assert await log.events_of(request.run_id) == events

    asyncio.run(round_trip())


@RARELY
@given(said=st.lists(st.tuples(ANY_SUBJECT, st.binary(max_size=200)), min_size=1, max_size=20))
def test_any_bytes_at_any_subject_are_kept_and_complained_about(
    database_url: str, said: list[tuple[str, bytes]]
) -> None:
    first = 2**60
    batch = [recorded_as(subject, data, first + number) for number, (subject, data) in enumerate(said)]
    bus = FakeBus()

    async def round_trip() -> None:
        async with _recorded(database_url, batch, bus) as log:
            kept = {each.stream_sequence: each.data for each in await log.unreadable(10**6)}
        await _forget(database_url, first)
        assert [kept.get(message.sequence) for message in batch] == [message.data for message in batch]

    asyncio.run(round_trip())
    assert len(bus.events) == len(batch)
    assert all(isinstance(event, MessageAbandoned) for event in bus.events)


def test_a_raw_nul_is_no_json_and_is_kept(database_url: str) -> None:
    event = CellCompleted.deciding(new_run(), "engineer", 1, observation=Observation(status="ok", output="@"))
    poisoned = recorded_as(event.full_subject, event.model_dump_json().encode().replace(b"@", b"\0"))

    async def round_trip() -> None:
        async with _recorded(database_url, [poisoned], FakeBus()) as log:
            assert await log.events_of(event.run_id) == []
            kept = {each.subject: each.data for each in await log.unreadable(10**6)}
        assert kept[poisoned.subject] == poisoned.data

    asyncio.run(round_trip())
