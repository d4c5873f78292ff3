"""What the read models say about recorded runs, compared with the runs' own events."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from contracts.envelope import Event
from contracts.events.benchmark import BenchmarkPublished, BenchmarkRequested
from contracts.events.conversation import JournalEntryAdded, ModelCalled, ReplyLost
from contracts.events.design import DesignSubmitted, DesignValidated
from contracts.events.run import RunSucceeded
from contracts.events.session import CellCompleted, CellRequested
from contracts.events.simulation import SimulationCompleted
from contracts.registry import EVENTS
from sqlalchemy import text
from store.database import Database
from store.log import EventLog
from store.read_models.projections.failures import PROJECTIONS as FAILURES
from store.read_models.registry import rows_of
from store.runs import RunSummaries

from tests.store.example_runs import EXAMPLES, log_entries
from tests.support.event_logs.recorded_run import names, read

Rows = Sequence[Mapping[Any, Any]]


@pytest.fixture(params=names())
async def recorded(request: pytest.FixtureRequest) -> Sequence[Event]:
    return (await read(request.param)).events


def _of(events: Sequence[Event], *classes: type[Event]) -> list[Any]:
    return [event for event in events if isinstance(event, classes)]


async def _rows(migrated: Database, query: str) -> Rows:
    async with migrated.engine.connect() as connection:
        return (await connection.execute(text(f"SELECT * FROM read_models.{query}"))).mappings().all()


async def test_recorded_run_is_described_in_all_tables(migrated: Database, recorded: Sequence[Event]) -> None:
    await EventLog(migrated.engine).append(log_entries(*recorded))
    (run,) = await RunSummaries(migrated.engine).newest()
    (end,) = _of(recorded, RunSucceeded)
    calls = _of(recorded, ModelCalled)
    spent = [each.usage for each in _of(recorded, ModelCalled, ReplyLost)]
    assert (run.outcome, run.verdict, run.unit_price_usd) == ("succeeded", "solved", end.bill.unit_price_usd)
    assert (run.events, run.model_calls, run.cells) == (
        len(recorded),
        len(calls),
        len(_of(recorded, CellCompleted)),
    )
    assert run.input_tokens == sum(usage.input_tokens for usage in spent)
    assert run.cost_usd == pytest.approx(sum(usage.cost_usd or 0 for usage in spent))
    assert run.simulations == len(_of(recorded, SimulationCompleted))
    assert run.picture == end.delivery.media.poster.sha256

    cells = await _rows(migrated, "cells ORDER BY sequence")
    assert [cell["id"] for cell in cells] == [cell.id for cell in _of(recorded, CellRequested)]
    assert {cell["status"] for cell in cells} == {cell.observation.status for cell in _of(recorded, CellCompleted)}
    entries = await _rows(migrated, "journal_entries")
    assert {entry["intent"] for entry in entries} == {each.intent for each in _of(recorded, JournalEntryAdded)}
    conversations = await _rows(migrated, "conversations")
    assert sum(each["calls"] for each in conversations) == len(calls)
    designs = await _rows(migrated, "designs ORDER BY sequence")
    assert len(designs) == len(_of(recorded, DesignSubmitted))
    assert designs[-1]["verdict"] == "solved"
    parts = await _rows(migrated, f"parts WHERE design_id = '{designs[-1]['id']}'")
    assert sum(each["count"] for each in parts if each["source"] == "made") == len(end.bill.lines)
    assert len(parts) == len(end.bill.lines) + len(end.bill.hardware)
    reviews = await _rows(migrated, "reviews WHERE subject = 'design' ORDER BY sequence")
    assert (reviews[-1]["verdict"], reviews[-1]["reviewed_id"]) == ("approved", designs[-1]["review_request_id"])
    judged = await _rows(migrated, "simulations WHERE purpose = 'verdict'")
    assert len(judged) == len(_of(recorded, DesignValidated))


async def test_step_shows_the_cell_that_the_role_decided_on(migrated: Database, recorded: Sequence[Event]) -> None:
    await EventLog(migrated.engine).append(log_entries(*recorded))
    steps = await _rows(migrated, "steps WHERE action = 'cell' ORDER BY sequence")
    assert [step["action_id"] for step in steps] == [cell.id for cell in _of(recorded, CellRequested)]
    assert all(step["outcome"] is not None for step in steps)


async def test_run_that_generates_a_benchmark_is_listed_with_its_kind(migrated: Database) -> None:
    request, published = EXAMPLES[BenchmarkRequested], EXAMPLES[BenchmarkPublished]
    assert isinstance(request, BenchmarkRequested)
    assert isinstance(published, BenchmarkPublished)
    own = {"run_id": request.id, "id": request.id, "kind": "benchmark"}
    request = request.model_copy(update=own)
    log, runs = EventLog(migrated.engine), RunSummaries(migrated.engine)
    await log.append(log_entries(request))
    assert await runs.newest() == []
    (listed,) = await runs.newest(kind=None)
    assert (listed.kind, listed.task, listed.benchmark) == ("benchmark", request.brief.task, "")
    end = published.model_copy(update={"run_id": request.id, "kind": "benchmark"})
    await log.append(log_entries(end, first_sequence=2))
    (listed,) = await runs.newest(kind="benchmark")
    assert (listed.outcome, listed.benchmark, listed.title) == ("succeeded", published.name, published.title)


def test_every_class_with_a_reason_is_a_failure() -> None:
    unlisted = {"SessionClosed", "CancelRequested"}  # neither reports a failure of the work
    with_reason = {each for each in EVENTS if "reason" in each.model_fields and each.__name__ not in unlisted}
    assert with_reason <= set(FAILURES)


@pytest.mark.parametrize("event", EXAMPLES.values(), ids=lambda event: event.type)
def test_rows_of_an_event_depend_on_nothing_else(event: Event) -> None:
    assert [*rows_of(event, 5)] == [*rows_of(type(event).model_validate_json(event.model_dump_json()), 5)]
