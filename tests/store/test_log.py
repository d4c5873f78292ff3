"""The event log in Postgres."""

from datetime import datetime, timedelta, timezone
from uuid import UUID, uuid4

import pytest
from contracts.envelope import Event
from pydantic import ValidationError
from run_requests.errors import AmbiguousRunError, UnknownRunError
from run_requests.short_ids import find_run
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from store.database import Database
from store.log import EventLog, LogEntry, UnreadableMessage
from store.settings import DatabaseSettings

from tests.store.example_runs import EXAMPLES, log_entries, new_request, session_events


@pytest.fixture
def log(database: Database) -> EventLog:
    return EventLog(database.engine)


async def test_every_event_class_survives_recording(log: EventLog):
    run_id = uuid4()
    events = [event.model_copy(update={"run_id": run_id, "id": uuid4()}) for event in EXAMPLES.values()]
    await log.append(log_entries(*events))
    assert await log.events_of(run_id) == events


async def test_events_are_ordered_by_stream_sequence(log: EventLog):
    request = new_request()
    first, second, third = log_entries(*session_events(request, 3), first_sequence=10)
    await log.append([third])
    await log.append([second, first])
    assert [event.id for event in await log.events_of(request.run_id)] == [e.event.id for e in (first, second, third)]


async def test_recording_again_changes_nothing(log: EventLog):
    request = new_request()
    batch = log_entries(request, *session_events(request, 4))
    await log.append(batch[:3])
    await log.append(batch)
    await log.append(batch)
    assert await log.events_of(request.run_id) == [entry.event for entry in batch]


async def test_first_event_with_an_id_is_kept(log: EventLog):
    request = new_request()
    changed = request.model_copy(update={"model": "another"})
    await log.append(log_entries(request))
    await log.append(log_entries(changed, first_sequence=2))
    assert await log.events_of(request.run_id) == [request]


async def test_events_of_other_runs_are_not_returned(log: EventLog):
    one, other = new_request(), new_request()
    await log.append(log_entries(one, other))
    assert await log.events_of(one.run_id) == [one]
    assert await log.events_of(uuid4()) == []


async def test_ids_include_an_event_of_a_newer_version_that_cannot_be_read(log: EventLog):
    request, newer = new_request(), new_request()
    newer = newer.model_copy(update={"run_id": request.run_id})
    body = newer.model_dump_json()[:-1].encode() + b', "schema_version": 999}'  # of two, the last one counts
    await log.append([*log_entries(request), LogEntry(event=newer, body=body, stream_sequence=2)])
    await log.append(log_entries(new_request(), first_sequence=3))
    assert await log.ids_of(request.run_id) == {request.id, newer.id}
    with pytest.raises(ValidationError, match="schema_version"):
        await log.events_of(request.run_id)


async def test_body_is_kept_as_received_with_unknown_fields(log: EventLog, database: Database):
    request = new_request()
    body = request.model_dump_json().encode()[:-1] + b', "unknown_field":  1}'
    await log.append([LogEntry(event=request, body=body, stream_sequence=1, traceparent="00-aa-bb-01")])
    async with database.engine.connect() as connection:
        query = "SELECT body, traceparent, type, recorded_at IS NOT NULL FROM log.events WHERE id = :id"
        row = (await connection.execute(text(query), {"id": request.id})).one()
    assert tuple(row) == (body, "00-aa-bb-01", "EngineeringRequested", True)


async def test_500_events_fit_into_one_transaction(log: EventLog):
    request = new_request()
    events: list[Event] = session_events(request, 500)
    await log.append(log_entries(*events))
    assert await log.events_of(request.run_id) == events


async def test_unreadable_message_is_kept_once_with_its_bytes(log: EventLog):
    message = UnreadableMessage(
        subject=f"mw.nonsense.happened.{uuid4()}",
        stream_sequence=2**40,
        data=b"\x00\xff\xed\xa0\x80",
        reason="not JSON",
    )
    await log.append([], [message])
    await log.append([], [message, message])
    stored = [each for each in await log.unreadable() if each.subject == message.subject]
    assert stored == [message]


UNSTORABLE = {
    "a NUL in the producer's name": {"producer": "a\0b"},
    "a time before year 1": {"occurred_at": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))},
    "a time after year 9999": {"occurred_at": datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-14)))},
}


@pytest.mark.parametrize("changes", UNSTORABLE.values(), ids=UNSTORABLE)
async def test_unstorable_column_value_is_exact_in_the_body(log: EventLog, changes: dict[str, object]):
    event = new_request().model_copy(update=changes)
    await log.append(log_entries(event))
    assert await log.events_of(event.run_id) == [event]


async def test_view_shows_text_and_json_with_nul_replaced(log: EventLog, database: Database):
    event = new_request().model_copy(update={"producer": "a\0b\\u0000\\\0"})
    await log.append(log_entries(event))
    async with database.engine.connect() as connection:
        query = text("SELECT text, json ->> 'producer' FROM log.told WHERE id = :id")
        shown, producer = (await connection.execute(query, {"id": event.id})).one()
    assert shown == event.model_dump_json()
    assert producer == "a\ufffdb\\u0000\\\ufffd"


async def test_reparsing_moves_only_readable_messages_into_the_log(log: EventLog):
    request = new_request()
    first, second = log_entries(request, *session_events(request, 1), first_sequence=2**41)
    stored = [
        UnreadableMessage(
            subject=e.event.full_subject, stream_sequence=e.stream_sequence, data=e.body, reason="unknown_type"
        )
        for e in (first, second)
    ]
    await log.append([], stored)

    def read(message: UnreadableMessage) -> LogEntry | None:
        return second if message == stored[1] else None

    assert await log.reparse_unreadable(read) == 1
    assert await log.events_of(request.run_id) == [second.event]
    left = [each for each in await log.unreadable() if each in stored]
    assert left == [stored[0]]
    assert await log.reparse_unreadable(read) == 0


async def test_missing_table_is_an_error(empty_database_url: str):
    unmigrated = Database(DatabaseSettings(database_url=empty_database_url))
    with pytest.raises(DBAPIError, match=r"log\.events.* does not exist"):
        await EventLog(unmigrated.engine).append(log_entries(new_request()))
    await unmigrated.stop()


async def test_runs_are_found_by_the_beginning_of_their_ids(log: EventLog):
    ids = [UUID(f"abcd{number}" + "0" * 26 + "1") for number in (1, 2)]
    await log.append(log_entries(*(new_request().model_copy(update={"id": each, "run_id": each}) for each in ids)))
    assert await log.runs_beginning_with("abcd", 5) == ids
    assert await log.runs_beginning_with("abcd", 1) == ids[:1]
    assert await find_run("abcd2", log) == ids[1]
    with pytest.raises(AmbiguousRunError, match=f"{ids[0]}, {ids[1]}"):
        await find_run("abcd", log)
    with pytest.raises(UnknownRunError, match="abce"):
        await find_run("abce", log)
