"""Somebody dies in the middle of a run, and the run succeeds all the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from perf.fakes.openai_server import FakeOpenAI
from perf.mortality.processes import kill, wait_for
from tests.connected.command import Command, started

KILLS = 2


def _kill(command: Command, words: str, name: str) -> None:
    pid = command.child(words)
    assert pid is not None, f"no {name} runs: {command.printed}"
    kill(pid)
    wait_for(lambda: command.child(words) not in {None, pid}, 20, f"a new {name}; printed: {command.printed}")


def _events(folder: Path, run_id: str) -> list[dict[str, Any]]:
    with started(folder, "events", run_id, "--json") as told:
        assert told.process.wait(60) == 0, told.printed
        return [json.loads(line) for line in told.printed.splitlines()]


@pytest.mark.timeout(200)
def test_a_run_survives_a_killed_engineer_and_a_killed_broker(tmp_path: Path) -> None:
    order = ("solve", "detour", "--seed", "2", "--separate", "--model", "openai:expert", "--out", str(tmp_path / "out"))
    with FakeOpenAI() as paid:
        keys = {"OPENAI_BASE_URL": paid.base_url, "OPENAI_API_KEY": "of-no-value"}
        with started(tmp_path, *order, environment=keys) as command:
            wait_for(lambda: "wrote script.py" in command.printed, 120, "a design")
            _kill(command, "-m engineer", "engineer")
            _kill(command, "nats-server", "broker")
            assert command.process.wait(120) == 0, command.printed
            printed = command.printed
    assert "SOLVED" in printed
    run_id = printed.split(" run ", 1)[1].split()[0]
    events = _events(tmp_path, run_id)
    ids = [event["id"] for event in events]
    assert len(ids) == len(set(ids))
    recorded_calls = sum(event["type"] == "ModelCalled" for event in events)
    assert 0 < recorded_calls <= paid.calls <= recorded_calls + KILLS


@pytest.mark.timeout(200)
def test_a_killed_cad_worker_s_session_goes_on_in_the_next_one_with_its_files_and_variables(tmp_path: Path) -> None:
    order = ("solve", "detour", "--seed", "2", "--separate", "--out", str(tmp_path / "out"))
    with started(tmp_path, *order) as command:
        wait_for(lambda: "wrote script.py" in command.printed, 120, "a design")
        _kill(command, "-m cad_worker", "cad-worker")
        assert command.process.wait(120) == 0, command.printed
        printed = command.printed
    events = _events(tmp_path, printed.split(" run ", 1)[1].split()[0])
    ids = {event["id"] for event in events}
    assert len(ids) == len(events)
    assert [event["type"] for event in events if event["causation_id"] not in ids] == ["EngineeringRequested"]
    seen = [event["observation"] for event in events if event["type"] == "CellCompleted"]
    (recovery,) = [each["recovery"] for each in seen if each.get("recovery") is not None]
    assert "script.py" in recovery["files"]
    assert (recovery["lost"], recovery["different"]) == ([], [])
