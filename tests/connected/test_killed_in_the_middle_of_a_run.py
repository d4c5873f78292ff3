"""The engineer dies, then the broker does: the run succeeds as if nothing had happened."""

import json
from pathlib import Path

import pytest

from tests.connected.command import Command, start
from tests.connected.processes import kill, wait_for
from tests.fakes.openai_server import FakeOpenAI

KILLS = 2


def _kill(command: Command, words: str, name: str) -> None:
    pid = command.child(words)
    assert pid is not None, f"no {name} runs: {command.printed}"
    kill(pid)
    wait_for(lambda: command.child(words) not in {None, pid}, 20, f"a new {name}")


def _events(folder: Path, run_id: str) -> list[dict[str, str]]:
    told = start(folder, "events", run_id, "--json")
    assert told.process.wait(60) == 0, told.printed
    return [json.loads(line) for line in told.printed.splitlines() if line.startswith("{")]


@pytest.mark.timeout(200)
def test_a_run_survives_a_killed_engineer_and_a_killed_broker(tmp_path: Path) -> None:
    with FakeOpenAI() as paid:
        command = start(
            tmp_path,
            *(
                "solve",
                "detour",
                "--seed",
                "2",
                "--separate",
                "--model",
                "openai:expert",
                "--out",
                str(tmp_path / "out"),
            ),
            environment={"OPENAI_BASE_URL": paid.base_url, "OPENAI_API_KEY": "of-no-value"},
        )
        wait_for(lambda: "wrote script.py" in command.printed or command.process.poll() is not None, 120, "a design")
        _kill(command, "-m engineer", "engineer")
        _kill(command, "nats-server", "broker")
        assert command.process.wait(120) == 0, command.printed
    assert "SOLVED" in command.printed
    run_id = command.printed.split(" run ", 1)[1].split()[0]
    events = _events(tmp_path, run_id)
    ids = [event["id"] for event in events]
    assert len(ids) == len(set(ids))
    recorded_calls = sum(event["type"] == "ModelCalled" for event in events)
    assert 0 < recorded_calls <= paid.calls <= recorded_calls + KILLS
