"""Runs at a glance."""

import pytest
from store.database import Database
from store.log import EventLog
from store.runs import RunSummaries, RunSummary, summarize

from tests.store.example_runs import entries, failure_of, new_run, notes_of, success_of

LATE = 10**9
"""Sequences beyond those of other tests on this database, so that these runs are the newest."""


@pytest.fixture
def log(database: Database) -> EventLog:
    return EventLog(database.engine)


async def test_newest_first_with_how_each_ended(database: Database, log: EventLog):
    going, failed, solved = new_run(), new_run(), new_run()
    success = success_of(solved)
    failure = failure_of(failed)
    await log.append(entries(going, *notes_of(going, 2), failed, failure, solved, success, first_sequence=LATE))
    summaries = await RunSummaries(database.engine).newest(limit=3)
    assert [summary.run_id for summary in summaries] == [solved.run_id, failed.run_id, going.run_id]
    assert [summary.outcome for summary in summaries] == ["succeeded", "failed", "running"]
    assert [summary.events for summary in summaries] == [2, 2, 3]
    assert summaries[0].unit_price_usd == success.bill.unit_price_usd
    assert (summaries[0].mass_kg, summaries[0].parts) == (success.bill.mass_kg, 1)
    assert summaries[0].ended_at == success.occurred_at
    assert summaries[1].reason == "deadline: 900 s are over"
    assert summaries[2].ended_at is None
    assert await RunSummaries(database.engine).newest(limit=1) == summaries[:1]


def test_a_summary_says_what_was_asked():
    request = new_run()
    summary = summarize(request, None, 1)
    assert summary == RunSummary(
        run_id=request.run_id,
        benchmark="detour",
        seed=7,
        level=2,
        quantity=250,
        model="offline",
        started_at=request.occurred_at,
        events=1,
        executor="tool_call",
        continues=request.continues.attempts[-1] if request.continues else None,
    )


def test_what_ends_no_run_is_no_ending():
    request = new_run()
    with pytest.raises(ValueError, match="EngineeringRequested ends no run"):
        summarize(request, request, 1)
