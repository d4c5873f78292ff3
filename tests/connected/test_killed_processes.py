"""A run succeeds although workers, roles and the broker are killed in the middle of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.clusters.command import Command, start_command
from tests.support.clusters.fake_provider import expert_provider
from tests.support.processes import kill, wait_for

KILLED = {"-m cad_worker": "cad-worker", "-m engineer": "engineer", "nats-server": "broker"}
"""By a part of their command lines, in the order of the kills."""


def _kill(command: Command, text: str, name: str) -> None:
    pid = command.child(text)
    assert pid is not None, f"no {name} runs: {command.printed}"
    kill(pid)
    wait_for(lambda: command.child(text) not in {None, pid}, 20, f"a new {name}; printed: {command.printed}")


def _events(folder: Path, run_id: str) -> list[dict[str, Any]]:
    with start_command(folder, "events", run_id, "--json") as command:
        assert command.wait(60) == 0, command.printed
        return [json.loads(line) for line in command.printed.splitlines()]


@pytest.mark.timeout(240)
def test_run_survives_killed_cad_worker_engineer_and_broker(tmp_path: Path) -> None:
    order = ("solve", "gravity-chute", "--seed", "2", "--separate", "--model", "openai:expert")
    with expert_provider() as provider:
        keys = {"OPENAI_BASE_URL": provider.base_url, "OPENAI_API_KEY": "of-no-value"}
        with start_command(tmp_path, *order, "--out", str(tmp_path / "out"), environment=keys) as command:
            wait_for(lambda: "wrote script.py" in command.printed, 120, "a design", lambda: command.printed)
            for text, name in KILLED.items():
                _kill(command, text, name)
            assert command.wait(120) == 0, command.printed
            assert "SOLVED" in command.printed
            assert command.run_id is not None
    events = _events(tmp_path, command.run_id)
    _assert_causes_are_complete(events)
    recorded_calls = sum(event["type"] == "ModelCalled" for event in events)
    assert 0 < recorded_calls <= provider.calls <= recorded_calls + len(KILLED)
    _assert_session_was_restored(events)


def _assert_causes_are_complete(events: list[dict[str, Any]]) -> None:
    ids = {event["id"] for event in events}
    assert len(ids) == len(events)
    assert [event["type"] for event in events if event["causation_id"] not in ids] == ["EngineeringRequested"]


def _assert_session_was_restored(events: list[dict[str, Any]]) -> None:
    """The next cad-worker took over the session of the killed one, with its files and variables."""
    observations = [event["observation"] for event in events if event["type"] == "CellCompleted"]
    (recovery,) = [each["recovery"] for each in observations if each.get("recovery") is not None]
    assert "script.py" in recovery["files"]
    assert (recovery["lost"], recovery["different"]) == ([], [])
