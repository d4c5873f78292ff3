"""`millwright benchmark certify suite`, with a suite of one benchmark that a straight chute solves."""

import json
from pathlib import Path

import pytest
from benchmarks.loader import CODE, FILE, TEMPLATE, WITNESS

from tests.cli.conftest import RunCommand


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a suite with a sound and a broken benchmark."""
    folder = tmp_path / "suite"
    for name in ("broken", "gap"):
        (folder / name).mkdir(parents=True)
    for file in (FILE, CODE, WITNESS):
        text = (TEMPLATE / file).read_text("utf-8")
        (folder / "gap" / file).write_text(text.replace("name: NAME", "name: gap"), "utf-8")
    (folder / "broken" / FILE).write_text("name: [", "utf-8")
    monkeypatch.setattr("benchmarks.loader.SUITE", folder)
    return folder


def test_suite_is_certified_and_resumed(suite: Path, tmp_path: Path, run_command: RunCommand) -> None:
    records, table = tmp_path / "records.jsonl", tmp_path / "table.md"
    options = ("--seeds", "0", "--resume", str(records), "--markdown", str(table), "--json", str(tmp_path / "all.json"))
    first = run_command("benchmark", "certify", "suite", *options)
    assert first.code == 1, first
    assert "gap, seed 0: witness robust, 100%" in first.output
    assert "chute solves it" in first.output
    assert "✗ broken, files: " in first.output
    assert "| gap | 1 | 1/1 | 1/1 | 1/1 | 0 | 1/1 |" in table.read_text("utf-8")
    again = run_command("benchmark", "certify", "suite", *options)
    assert "1 world certified before" in again.output
    assert "gap, seed 0: witness" not in again.output
    scores = json.loads((tmp_path / "all.json").read_text("utf-8"))["scores"]
    assert [(score["benchmark"], score["robust"]) for score in scores] == [("broken", 0), ("gap", 1)]
    assert len(records.read_text("utf-8").splitlines()) == 1


def test_options_of_the_suite_are_refused_for_one_benchmark(run_command: RunCommand) -> None:
    result = run_command("benchmark", "certify", "detour", "--resume", "records.jsonl")
    assert result.code == 2
    assert "belong to `certify suite`" in result.errors
