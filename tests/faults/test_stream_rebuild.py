"""The stream is lost with everything in flight, is rebuilt from Postgres, and the run goes on."""

import asyncio
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import UUID

import pytest
from agent.model.providers import offline_chat
from chassis.settings import BusSettings
from chassis.stream.lag import measure_lag
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled
from contracts.events.run import RunSucceeded
from langchain_core.messages import AIMessage, BaseMessage
from local_stack.data_folder import read_state
from local_stack.servers.secrets import read_secrets
from local_stack.servers.stack_records import erase
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.support.clusters.command import Command, start_command
from tests.support.clusters.fake_provider import expert_provider
from tests.support.processes import kill, wait_for

ORDER = ("solve", "gravity-chute", "--seed", "2", "--model", "openai:slow")


class SlowModel:
    """The offline expert, which delays some of its replies until a test releases them: nothing moves meanwhile."""

    def __init__(self, *slow_calls: int) -> None:
        self._expert = offline_chat()
        self._slow = {call: (threading.Event(), threading.Event()) for call in slow_calls}
        self._calls = 0

    def __call__(self, messages: Sequence[BaseMessage], label: str) -> AIMessage:
        del label
        self._calls += 1
        if self._calls in self._slow:
            is_asked, is_released = self._slow[self._calls]
            is_asked.set()
            is_released.wait()
        return self._expert.invoke(list(messages))

    def wait_for_call(self, slow_call: int) -> bool:
        """Wait until this call has arrived."""
        return self._slow[slow_call][0].wait(300)

    def release(self, slow_call: int) -> None:
        """Let this call be answered."""
        self._slow[slow_call][1].set()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    erase(read_secrets(tmp_path / "data" / "secrets.json").stack)


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MILLWRIGHT_DATA": str(folder / "data")}
    command = [sys.executable, "-m", "cli", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


def _environment(folder: Path) -> dict[str, str]:
    state = read_state(folder / "data")
    assert state is not None
    return state.environment


def _wait_until_recorded(folder: Path) -> None:
    settings = BusSettings(nats_url=_environment(folder)["NATS_URL"])
    wait_for(lambda: asyncio.run(measure_lag(settings)).unrecorded == 0, 120, "a complete record")


def _recorded(folder: Path, run_id: str) -> list[Event]:
    async def read() -> list[Event]:
        database = Database(DatabaseSettings(database_url=_environment(folder)["DATABASE_URL"]))
        try:
            return await EventLog(database.engine).events_of(UUID(run_id))
        finally:
            await database.stop()

    return asyncio.run(read())


def _assert_solved_once(events: list[Event], calls: int, kills: int) -> None:
    ids = [event.id for event in events]
    assert len(ids) == len(set(ids))
    assert [event for event in events if event.causation_id not in {None, *ids}] == []
    assert sum(isinstance(event, RunSucceeded) for event in events) == 1
    recorded_calls = sum(isinstance(event, ModelCalled) for event in events)
    assert 0 < recorded_calls <= calls <= recorded_calls + kills


def test_run_goes_on_after_stream_was_lost_twice(
    folder: Path,
) -> None:
    slow = SlowModel(5, 7)
    with expert_provider({"slow": slow}) as provider:
        keys = {"OPENAI_BASE_URL": provider.base_url, "OPENAI_API_KEY": "of-no-value"}
        with start_command(folder, *ORDER, environment=keys) as command:
            assert slow.wait_for_call(5), command.printed
            run_id = command.run_id
            assert run_id is not None
            _wait_until_recorded(folder)
            kill(command.process.pid)
            command.wait()
        slow.release(5)
        shutil.rmtree(folder / "data" / "nats" / "jetstream")
        _assert_refused_until_rebuilt(folder)
        with start_command(folder, "up", environment=keys) as up:
            wait_for(lambda: "ready" in up.printed, 300, "a stack", lambda: up.printed)
            assert slow.wait_for_call(7), up.printed
            _wait_until_recorded(folder)
            _lose_the_stream(folder, up)
            rebuilt = _run(folder, "rebuild-stream")
            assert rebuilt.returncode == 0, rebuilt.stderr
            slow.release(7)
            wait_for(lambda: _has_ended(folder, run_id), 300, "the end", lambda: _recorded(folder, run_id)[-3:])
            _wait_until_recorded(folder)
            _assert_solved_once(_recorded(folder, run_id), provider.calls, kills=1)


def _assert_refused_until_rebuilt(folder: Path) -> None:
    refused = _run(folder, "up")
    assert refused.returncode == 2
    assert "millwright rebuild-stream" in refused.stderr
    rebuilt = _run(folder, "rebuild-stream")
    assert rebuilt.returncode == 0, rebuilt.stderr
    assert "messages of 1 runs" in rebuilt.stdout


def _has_ended(folder: Path, run_id: str) -> bool:
    return any(isinstance(event, RunSucceeded) for event in _recorded(folder, run_id))


def _lose_the_stream(folder: Path, command: Command) -> None:
    """Kill the server and move its folder away, so that it is restarted without data."""
    pid = command.child("nats-server")
    assert pid is not None
    (folder / "data" / "nats" / "jetstream").rename(folder / "lost")
    kill(pid)
    wait_for(lambda: command.child("nats-server") not in {None, pid}, 60, "a new server", lambda: command.printed)
