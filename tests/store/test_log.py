"""The event log."""

from datetime import datetime, timedelta, timezone
from uuid import uuid4

import pytest
from contracts.envelope import Event
from contracts.events.session import CellCompleted
from contracts.models.observation import Observation
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from store.database import Database
from store.log import EventLog, LogEntry, UnreadableMessage
from store.settings import DatabaseSettings

from tests.store.example_runs import EXAMPLES, entries, new_run, notes_of


@pytest.fixture
def log(database: Database) -> EventLog:
    return EventLog(database.engine)


async def test_every_event_of_the_language_comes_back_as_it_was(log: EventLog):
    run_id = uuid4()
    events = [event.model_copy(update={"run_id": run_id, "id": uuid4()}) for event in EXAMPLES.values()]
    await log.append(entries(*events))
    assert await log.events_of(run_id) == events


async def test_events_come_in_the_order_of_the_stream_not_of_writing(log: EventLog):
    request = new_run()
    first, second, third = entries(*notes_of(request, 3), first_sequence=10)
    await log.append([third])
    await log.append([second, first])
    assert [event.id for event in await log.events_of(request.run_id)] == [e.event.id for e in (first, second, third)]


async def test_recording_again_changes_nothing(log: EventLog):
    request = new_run()
    batch = entries(request, *notes_of(request, 4))
    await log.append(batch[:3])
    await log.append(batch)
    await log.append(batch)
    assert await log.events_of(request.run_id) == [entry.event for entry in batch]


async def test_the_first_of_two_with_one_id_stays(log: EventLog):
    request = new_run()
    changed = request.model_copy(update={"model": "another"})
    await log.append(entries(request))
    await log.append(entries(changed, first_sequence=2))
    assert await log.events_of(request.run_id) == [request]


async def test_runs_are_kept_apart(log: EventLog):
    one, other = new_run(), new_run()
    await log.append(entries(one, other))
    assert await log.events_of(one.run_id) == [one]
    assert await log.events_of(uuid4()) == []


async def test_an_escaped_nul_in_what_an_agent_printed_is_kept(log: EventLog):
    request = new_run()
    event = CellCompleted.deciding(
        request, "engineer", 1, observation=Observation(status="ok", output="before\0after \U0001f529")
    )
    await log.append(entries(event))
    assert await log.events_of(request.run_id) == [event]


async def test_the_body_is_kept_as_received_with_fields_of_tomorrow(log: EventLog, database: Database):
    request = new_run()
    body = request.model_dump_json().encode()[:-1] + b', "of_tomorrow":  1}'
    await log.append([LogEntry(event=request, body=body, stream_sequence=1, traceparent="00-aa-bb-01")])
    async with database.engine.connect() as connection:
        query = "SELECT body, traceparent, type, recorded_at IS NOT NULL FROM log.events WHERE id = :id"
        row = (await connection.execute(text(query), {"id": request.id})).one()
    assert tuple(row) == (body, "00-aa-bb-01", "EngineeringRequested", True)


async def test_five_hundred_at_once_fit(log: EventLog):
    request = new_run()
    events: list[Event] = notes_of(request, 500)
    await log.append(entries(*events))
    assert await log.events_of(request.run_id) == events


async def test_what_cannot_be_read_is_kept_byte_by_byte_and_once(log: EventLog):
    message = UnreadableMessage(
        subject=f"mw.nonsense.said.{uuid4()}", stream_sequence=2**40, data=b"\x00\xff\xed\xa0\x80", reason="not JSON"
    )
    await log.append([], [message])
    await log.append([], [message, message])
    kept = [each for each in await log.unreadable() if each.subject == message.subject]
    assert kept == [message]


POISONED = {
    "a NUL in the producer's name": {"producer": "a\0b"},
    "a time before Postgres' year 1": {"occurred_at": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))},
    "a time after Python's last year": {
        "occurred_at": datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-14)))
    },
}


@pytest.mark.parametrize("changes", POISONED.values(), ids=POISONED)
async def test_what_a_column_cannot_hold_is_bent_there_and_kept_in_the_body(log: EventLog, changes: dict[str, object]):
    poisoned = new_run().model_copy(update=changes)
    await log.append(entries(poisoned))
    assert await log.events_of(poisoned.run_id) == [poisoned]


async def test_the_view_shows_text_and_json_though_json_has_no_place_for_nul(log: EventLog, database: Database):
    event = new_run().model_copy(update={"producer": "a\0b\\u0000\\\0"})
    await log.append(entries(event))
    async with database.engine.connect() as connection:
        query = text("SELECT text, json ->> 'producer' FROM log.told WHERE id = :id")
        shown, producer = (await connection.execute(query, {"id": event.id})).one()
    assert shown == event.model_dump_json()
    assert producer == "a\ufffdb\\u0000\\\ufffd"


async def test_what_can_be_read_by_now_is_lifted_and_the_rest_stays(log: EventLog):
    request = new_run()
    first, second = entries(request, *notes_of(request, 1), first_sequence=2**41)
    kept = [
        UnreadableMessage(
            subject=e.event.full_subject, stream_sequence=e.stream_sequence, data=e.body, reason="unknown_type"
        )
        for e in (first, second)
    ]
    await log.append([], kept)

    def read(message: UnreadableMessage) -> LogEntry | UnreadableMessage:
        return second if message == kept[1] else message

    assert await log.reparse_unreadable(read) == 1
    assert await log.events_of(request.run_id) == [second.event]
    left = [each for each in await log.unreadable() if each in kept]
    assert left == [kept[0]]
    assert await log.reparse_unreadable(read) == 0


async def test_what_is_no_matter_of_data_is_raised(empty_database_url: str):
    unmigrated = Database(DatabaseSettings(database_url=empty_database_url))
    with pytest.raises(DBAPIError, match=r"log\.events.* does not exist"):
        await EventLog(unmigrated.engine).append(entries(new_run()))
    await unmigrated.stop()
