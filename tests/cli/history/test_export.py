"""Exports of recorded runs: every event, the conversations as they were, and what came of each design."""

import io
import json
import zipfile
from pathlib import Path
from uuid import UUID, uuid5

import pytest
from artifacts.testing import FakeArtifacts
from cli.export.chat import call_rows, reply_preferences
from cli.export.dataset_card import dataset_card
from cli.export.parquet import ParquetWriter, read_rows
from cli.export.rows import DesignRow, LogRow, PreferenceRow, Row, RunRow
from cli.export.tables import NAMES, TABLES, JsonlWriter, rows_of
from cli.export.work import design_preferences, event_rows, run_row
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.events.design import DesignSubmitted
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.registry import EVENTS, parse

from tests.contracts.examples import full_examples
from tests.support.event_logs.recorded_run import RecordedLog, names, read

SCRIPT = "from build123d import Box\nassembly = Box(1, 1, 1)\n"


async def _rows(name: str) -> list[Row]:
    recorded = await read(name)
    return [row async for row in rows_of(recorded.events, recorded.artifacts)]


def test_every_event_of_the_language_is_exported_whole() -> None:
    examples = full_examples()
    rows = list(event_rows(list(examples.values())))
    assert {row.type for row in rows} == {each.__name__ for each in EVENTS}
    for row, event in zip(rows, examples.values(), strict=True):
        assert parse(event.full_subject, row.body.encode()) == event


@pytest.mark.parametrize("name", names())
async def test_recorded_run_is_exported_with_reward_and_costs(name: str) -> None:
    recorded = await read(name)
    rows = await _rows(name)
    (run,) = (row for row in rows if isinstance(row, RunRow))
    end = next(each for each in recorded.events if isinstance(each, RunSucceeded))
    assert (run.outcome, run.reward, run.unit_price_usd) == ("succeeded", 1.0, end.bill.unit_price_usd)
    assert run.model_calls == sum(isinstance(each, ModelCalled) for each in recorded.events)
    assert [row.id for row in rows if isinstance(row, LogRow)] == [each.id for each in recorded.events]
    designs = [row for row in rows if isinstance(row, DesignRow)]
    assert [each.outcome for each in designs][-1] == "approved"
    assert (designs[-1].verdict, designs[-1].stability) == ("solved", "stable")


@pytest.mark.parametrize("name", names())
async def test_jsonl_and_parquet_hold_the_same_rows(name: str, tmp_path: Path) -> None:
    rows = await _rows(name)
    with JsonlWriter(tmp_path) as text, ParquetWriter(tmp_path) as binary:
        for row in rows:
            text.write(row)
            binary.write(row)
    for table, row_class in TABLES.items():
        written = [
            row_class.model_validate_json(line) for line in (tmp_path / f"{table}.jsonl").read_text().splitlines()
        ]
        packed = [row_class.model_validate(each) for each in read_rows(tmp_path / f"{table}.parquet")]
        assert written == packed == [row for row in rows if NAMES[type(row)] == table]


async def test_rejected_reply_is_paired_with_the_next_one() -> None:
    events = await _with_rejected_reply()
    (call,) = (row for row in call_rows(events) if not row.accepted)
    assert call.problem == "no cell"
    (pair,) = reply_preferences(events)
    assert (pair.rejected, pair.reason) == ("I will think about it.", "no cell")
    assert pair.chosen == "Here it is."


async def _with_rejected_reply() -> list[Event]:
    """Return a run of two engineer's calls, of which the first cannot be used."""
    recorded = await read("offline-chute")
    events = [each for each in recorded.events if isinstance(each, EngineeringRequested)]
    call = next(each for each in recorded.events if isinstance(each, ModelCalled) and each.role == "engineer")
    vague = call.reply.model_copy(update={"text": "I will think about it."})
    clear = call.reply.model_copy(update={"text": "Here it is."})
    rejected = ReplyRejected(
        id=uuid5(call.run_id, "rejected"),
        run_id=call.run_id,
        role="engineer",
        causation_id=call.causation_id,
        producer="engineer",
        problem="no cell",
        attempt=1,
    )
    again = {"id": uuid5(call.run_id, "again"), "step": call.step + 1, "causation_id": rejected.id, "reply": clear}
    return [*events, call.model_copy(update={"reply": vague}), rejected, call.model_copy(update=again)]


async def test_refused_design_is_paired_with_the_approved_one() -> None:
    recorded = await read("offline-chute")
    designs = [_design(1, "invalid", "# worse\n"), _design(2, "approved", SCRIPT)]
    (pair,) = design_preferences(recorded.events, designs, ())
    assert isinstance(pair, PreferenceRow)
    assert (pair.chosen, pair.rejected, pair.reason) == (SCRIPT, "# worse\n", "too heavy")
    assert list(design_preferences(recorded.events, designs[:1], ())) == []


def _design(number: int, outcome: str, script: str) -> DesignRow:
    problems = ("too heavy",) if outcome == "invalid" else ()
    return DesignRow.model_validate(
        {
            "run_id": UUID(int=1),
            "number": number,
            "digest": "0" * 64,
            "outcome": outcome,
            "problems": problems,
            "verdict": "",
            "stability": "",
            "success_rate": None,
            "unit_price_usd": None,
            "mass_kg": None,
            "parts": None,
            "script": script,
        }
    )


async def test_script_of_a_submission_is_exported_while_its_artifact_exists() -> None:
    recorded = await read("offline-chute")
    assert {row.script for row in await _rows("offline-chute") if isinstance(row, DesignRow)} == {None}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("script.py", SCRIPT)
    artifacts = FakeArtifacts()
    ref = await artifacts.put(archive.getvalue(), "application/zip")
    events = [_submitting(each, ref) if isinstance(each, DesignSubmitted) else each for each in recorded.events]
    rows = [row async for row in rows_of(events, artifacts)]
    assert {row.script for row in rows if isinstance(row, DesignRow)} == {SCRIPT}


def _submitting(event: DesignSubmitted, ref: object) -> DesignSubmitted:
    return event.model_copy(update={"submission": event.submission.model_copy(update={"files": ref})})


async def test_card_names_every_column() -> None:
    recorded: RecordedLog = await read("offline-chute")
    requested = next(each for each in recorded.events if isinstance(each, EngineeringRequested))
    card = dataset_card([run_row(recorded.events, requested)], {"runs": 1}, "jsonl")
    for table, row_class in TABLES.items():
        assert f"## {table}" in card
        for column in row_class.model_fields:
            assert f"| `{column}` |" in card
    assert "config_name: runs" in card
    assert json.dumps("offline")[1:-1] not in card, "the card has counts, no content"
