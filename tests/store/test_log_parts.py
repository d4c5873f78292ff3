"""A run's log in parts: where they begin, single events, and the newest of all runs."""

import pytest
from store.database import Database
from store.log import EventLog, LogMarks, LogPosition
from store.migrate import migrate
from store.settings import DatabaseSettings

from tests.store.example_runs import log_entries, new_request, run_failure, session_events


@pytest.fixture
def log(database: Database) -> EventLog:
    return EventLog(database.engine)


async def test_marks_divide_a_run_into_parts_of_one_size(log: EventLog) -> None:
    request = new_request()
    events = [request, *session_events(request, 6)]
    await log.append(log_entries(*events, first_sequence=5))
    places = [LogPosition(sequence, event.id) for sequence, event in enumerate(events, 5)]
    assert await log.marks_of(request.run_id, 3) == LogMarks(7, (places[2], places[5]), places[6])
    assert await log.marks_of(request.run_id, 7) == LogMarks(7, (places[6],), places[6])
    assert await log.marks_of(request.run_id, 8) == LogMarks(7, (), places[6])
    assert await log.marks_of(new_request().run_id, 3) == LogMarks(0, (), None)
    page = await log.page_of(request.run_id, places[2], 3)
    assert [each.position for each in page] == places[3:6]


async def test_marks_and_counts_of_some_classes_leave_out_the_others(log: EventLog) -> None:
    request = new_request()
    events = [request, *session_events(request, 4), run_failure(request)]
    await log.append(log_entries(*events))
    places = [LogPosition(sequence, event.id) for sequence, event in enumerate(events, 1)]
    marks = await log.marks_of(request.run_id, 2, ("SessionOpened",))
    assert marks == LogMarks(4, (places[2], places[4]), places[4])
    assert await log.count_until(request.run_id, places[3]) == 4
    assert await log.count_until(request.run_id, places[3], ("SessionOpened",)) == 3


async def test_event_is_found_at_its_position_only(log: EventLog) -> None:
    request = new_request()
    failure = run_failure(request)
    await log.append(log_entries(request, failure))
    assert await log.at(request.run_id, LogPosition(2, failure.id)) == failure
    assert await log.at(request.run_id, LogPosition(1, failure.id)) is None
    assert await log.at(new_request().run_id, LogPosition(2, failure.id)) is None


async def test_newest_events_of_all_runs_come_first(empty_database_url: str) -> None:
    settings = DatabaseSettings(database_url=empty_database_url)
    await migrate(settings)
    database = Database(settings)
    log = EventLog(database.engine)
    requests = [new_request() for _ in range(3)]
    await log.append(log_entries(*requests, run_failure(requests[0])))
    assert [each.run_id for each in await log.newest(("EngineeringRequested",), 2)] == [
        requests[2].run_id,
        requests[1].run_id,
    ]
    assert (await log.newest((), 1))[0].type == "RunFailed"
    await database.stop()
