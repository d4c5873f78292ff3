"""Somebody dies in the middle of a run, and the run succeeds all the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from perf.fakes.openai_server import FakeOpenAI
from perf.mortality.processes import kill, wait_for
from tests.connected.command import Command, started

KILLED = {"-m cad_worker": "cad-worker", "-m engineer": "engineer", "nats-server": "broker"}
"""By what their command lines hold, in the order in which they die."""
ACK_WAIT_S = "4"
"""What the dead had in hand comes back sooner than after the usual ten."""


def _kill(command: Command, words: str, name: str) -> None:
    pid = command.child(words)
    assert pid is not None, f"no {name} runs: {command.printed}"
    kill(pid)
    wait_for(lambda: command.child(words) not in {None, pid}, 20, f"a new {name}; printed: {command.printed}")


def _events(folder: Path, run_id: str) -> list[dict[str, Any]]:
    with started(folder, "events", run_id, "--json") as told:
        assert told.process.wait(60) == 0, told.printed
        return [json.loads(line) for line in told.printed.splitlines()]


@pytest.mark.timeout(240)
def test_a_run_survives_a_killed_cad_worker_engineer_and_broker(tmp_path: Path) -> None:
    order = (
        "solve",
        "gravity-chute",
        "--seed",
        "2",
        "--separate",
        "--model",
        "openai:expert",
        "--out",
        str(tmp_path / "out"),
    )
    with FakeOpenAI() as paid:
        keys = {"OPENAI_BASE_URL": paid.base_url, "OPENAI_API_KEY": "of-no-value", "BUS_ACK_WAIT_S": ACK_WAIT_S}
        with started(tmp_path, *order, environment=keys) as command:
            wait_for(lambda: "wrote script.py" in command.printed, 120, "a design")
            for words, name in KILLED.items():
                _kill(command, words, name)
            assert command.process.wait(120) == 0, command.printed
            printed = command.printed
    assert "SOLVED" in printed
    events = _events(tmp_path, printed.split(" run ", 1)[1].split()[0])
    _assert_one_story(events)
    recorded_calls = sum(event["type"] == "ModelCalled" for event in events)
    assert 0 < recorded_calls <= paid.calls <= recorded_calls + len(KILLED)
    _assert_session_was_restored(events)


def _assert_one_story(events: list[dict[str, Any]]) -> None:
    ids = {event["id"] for event in events}
    assert len(ids) == len(events)
    assert [event["type"] for event in events if event["causation_id"] not in ids] == ["EngineeringRequested"]


def _assert_session_was_restored(events: list[dict[str, Any]]) -> None:
    """The next cad-worker has taken over the session of the killed one, with its files and variables."""
    seen = [event["observation"] for event in events if event["type"] == "CellCompleted"]
    (recovery,) = [each["recovery"] for each in seen if each.get("recovery") is not None]
    assert "script.py" in recovery["files"]
    assert (recovery["lost"], recovery["different"]) == ([], [])
