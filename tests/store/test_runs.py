"""Summaries of runs."""

import pytest
from contracts.envelope import during
from contracts.events.run import EngineeringQueued, EngineeringStarted
from store.database import Database
from store.log import EventLog
from store.runs import RunSummaries, RunSummary, summarize

from tests.store.example_runs import log_entries, new_request, run_failure, run_success, session_events

LATE = 10**15
"""Stream sequences above those of other tests on this database, so that these runs are the newest."""


@pytest.fixture
def log(database: Database) -> EventLog:
    return EventLog(database.engine)


async def test_summaries_are_newest_first_with_outcome(database: Database, log: EventLog):
    open_run, failed, solved = new_request(), new_request(), new_request()
    success = run_success(solved)
    failure = run_failure(failed)
    await log.append(
        log_entries(open_run, *session_events(open_run, 2), failed, failure, solved, success, first_sequence=LATE)
    )
    summaries = await RunSummaries(database.engine).newest(limit=3)
    assert [summary.run_id for summary in summaries] == [solved.run_id, failed.run_id, open_run.run_id]
    assert [summary.outcome for summary in summaries] == ["succeeded", "failed", "running"]
    assert [summary.events for summary in summaries] == [2, 2, 3]
    assert summaries[0].unit_price_usd == success.bill.unit_price_usd
    assert (summaries[0].mass_kg, summaries[0].parts) == (success.bill.mass_kg, 1)
    assert summaries[0].ended_at == success.occurred_at
    assert summaries[1].reason == "deadline: 900 s are over"
    assert summaries[2].ended_at is None
    assert await RunSummaries(database.engine).newest(limit=1) == summaries[:1]


async def test_waiting_runs_are_listed_with_their_place(database: Database, log: EventLog):
    requests = [new_request() for _ in range(4)]
    queued = [EngineeringQueued(**during(each, "queued", "planner"), ahead=0, slots=1) for each in requests]
    started = EngineeringStarted(**during(requests[0], "started", "planner"), deadline_s=60, slots=1)
    events = [*requests, *reversed(queued), started, run_failure(requests[1])]
    await log.append(log_entries(*events, first_sequence=2 * LATE))
    newest = {each.run_id: each for each in await RunSummaries(database.engine).newest(limit=4)}
    listed = [newest[request.run_id] for request in requests]
    assert [each.outcome for each in listed] == ["running", "failed", "waiting", "waiting"]
    assert [each.ahead for each in listed] == [None, None, 0, 1]
    await log.append(log_entries(*map(run_failure, requests), first_sequence=3 * LATE))


def test_summary_of_open_run_has_its_request():
    request = new_request()
    summary = summarize(request, None, 1)
    assert summary == RunSummary(
        run_id=request.run_id,
        benchmark="detour",
        title=request.assignment.variant.title,
        seed=7,
        level=2,
        quantity=250,
        model="offline",
        started_at=request.occurred_at,
        events=1,
        executor="tool_call",
        continues=request.continues.attempts[-1] if request.continues else None,
    )
