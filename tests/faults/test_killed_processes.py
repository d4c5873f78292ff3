"""Processes of a stack are killed in the middle of a run: single ones are restarted, the command takes all with it."""

import json
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from local_stack.data_folder import read_state
from local_stack.servers.secrets import read_secrets
from local_stack.servers.stack_records import erase
from local_stack.services import EMBEDDED, WORKERS

from tests.support.clusters.command import Command, start_command
from tests.support.clusters.fake_provider import FakeProvider, expert_provider
from tests.support.processes import descendants, gone_within, kill, wait_for

KILLED = {"-m cad_worker": "cad-worker", "-m engineer": "engineer", "nats-server": "broker"}
"""By a part of their command lines, in the order of the kills."""
SERVERS = ("nats-server", "postgres", "weed")
SERVICES = tuple(f"-m {name.replace('-', '_')}" for name in (*WORKERS, *EMBEDDED))
STAGE_S, SHUTDOWN_S = 300.0, 60.0
"""On a busy machine. `./run chaos shutdown` measures how long an end takes on a quiet one."""


@dataclass(frozen=True)
class Stack:
    """A stack that is up, every service as a process, and the models that its roles call."""

    folder: Path
    command: Command
    keys: dict[str, str]
    provider: FakeProvider


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The test that kills its command is the last."""
    folder = tmp_path_factory.mktemp("stack")
    with expert_provider() as provider:
        keys = {"OPENAI_BASE_URL": provider.base_url, "OPENAI_API_KEY": "of-no-value"}
        with start_command(folder, "up", "--separate", environment=keys) as command:
            wait_for(lambda: "ready; data" in command.printed, STAGE_S, "a stack", lambda: command.printed)
            yield Stack(folder, command, keys, provider)
    erase(read_secrets(folder / "data" / "secrets.json").stack)


def _kill(command: Command, text: str, name: str) -> None:
    pid = command.child(text)
    assert pid is not None, f"no {name} runs: {command.printed}"
    kill(pid)
    wait_for(lambda: command.child(text) not in {None, pid}, 60, f"a new {name}; printed: {command.printed}")


def _events(folder: Path, run_id: str) -> list[dict[str, Any]]:
    with start_command(folder, "events", run_id, "--json") as command:
        assert command.wait(60) == 0, command.printed
        return [json.loads(line) for line in command.printed.splitlines()]


def test_run_survives_killed_cad_worker_engineer_and_broker(stack: Stack) -> None:
    order = ("solve", "gravity-chute", "--seed", "2", "--model", "openai:expert")
    with start_command(stack.folder, *order, "--out", str(stack.folder / "out"), environment=stack.keys) as solving:
        wait_for(lambda: "wrote script.py" in solving.printed, STAGE_S, "a design", lambda: solving.printed)
        for text, name in KILLED.items():
            _kill(stack.command, text, name)
        assert solving.wait(STAGE_S) == 0, (solving.printed, stack.command.printed)
        assert "SOLVED" in solving.printed
        assert solving.run_id is not None
    events = _events(stack.folder, solving.run_id)
    _assert_causes_are_complete(events)
    recorded_calls = sum(event["type"] == "ModelCalled" for event in events)
    assert 0 < recorded_calls <= stack.provider.calls <= recorded_calls + len(KILLED)
    _assert_session_was_restored(events)


def test_kill_9_ends_all_processes(stack: Stack) -> None:
    with start_command(stack.folder, "solve", "gravity-chute", "--seed", "4") as solving:
        wait_for(lambda: "kernel ready" in solving.printed, STAGE_S, "a kernel", lambda: solving.printed)
        processes = descendants(stack.command.process.pid)
        for text in (*SERVERS, *SERVICES):
            assert any(text in process.command for process in processes), f"{text} does not run"
        assert read_state(stack.folder / "data") is not None
        kill(stack.command.process.pid)
        assert stack.command.wait() == -signal.SIGKILL
        assert gone_within({process.pid for process in processes}, SHUTDOWN_S)
        assert read_state(stack.folder / "data") is None


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
