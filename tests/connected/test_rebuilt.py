"""The stream is lost with all that was in flight; Postgres has it, and the run goes on."""

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
from chassis.observability.lag import measure_lag
from chassis.settings import BusSettings
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled
from contracts.events.run import RunSucceeded
from langchain_core.messages import AIMessage, BaseMessage
from local_stack.data_folder import read_state
from local_stack.servers.postgres_home import erase
from local_stack.servers.secrets import read_secrets
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from perf.fakes.openai_server import FakeOpenAI
from perf.mortality.processes import kill, wait_for
from tests.connected.command import Command, started

ORDER = ("solve", "detour", "--seed", "2", "--model", "openai:slow")


class SlowModel:
    """The offline expert, who thinks about some answers until he is told to go on: nothing moves meanwhile."""

    def __init__(self, *slow_calls: int) -> None:
        self._expert = offline_chat()
        self._slow = {call: (threading.Event(), threading.Event()) for call in slow_calls}
        self._calls = 0

    def __call__(self, messages: Sequence[BaseMessage], label: str) -> AIMessage:
        del label
        self._calls += 1
        if self._calls in self._slow:
            thinks, may_answer = self._slow[self._calls]
            thinks.set()
            may_answer.wait()
        return self._expert.invoke(list(messages))

    def thinks(self, slow_call: int) -> bool:
        """Wait until he is at this call."""
        return self._slow[slow_call][0].wait(120)

    def may_answer(self, slow_call: int) -> None:
        """Let him go on."""
        self._slow[slow_call][1].set()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    erase(read_secrets(tmp_path / "data" / "secrets.json").stack)


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MILLWRIGHT_DATA": str(folder / "data")}
    command = [sys.executable, "-m", "cli", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def _servers(folder: Path) -> dict[str, str]:
    state = read_state(folder / "data")
    assert state is not None
    return state.environment


def _wait_until_all_is_recorded(folder: Path) -> None:
    settings = BusSettings(nats_url=_servers(folder)["NATS_URL"])
    wait_for(lambda: asyncio.run(measure_lag(settings)).unrecorded == 0, 30, "a recorder that is done")


def _recorded(folder: Path, run_id: str) -> list[Event]:
    async def read() -> list[Event]:
        database = Database(DatabaseSettings(database_url=_servers(folder)["DATABASE_URL"]))
        try:
            return await EventLog(database.engine).events_of(UUID(run_id))
        finally:
            await database.stop()

    return asyncio.run(read())


def _run_id(command: Command) -> str:
    return command.printed.split(" run ", 1)[1].split()[0]


def _assert_solved_once(events: list[Event], calls: int, kills: int) -> None:
    ids = [event.id for event in events]
    assert len(ids) == len(set(ids))
    assert [event for event in events if event.causation_id not in {None, *ids}] == []
    assert sum(isinstance(event, RunSucceeded) for event in events) == 1
    recorded_calls = sum(isinstance(event, ModelCalled) for event in events)
    assert 0 < recorded_calls <= calls <= recorded_calls + kills


@pytest.mark.timeout(400)
def test_a_stream_that_is_lost_while_all_are_dead_and_once_more_under_the_living_is_rebuilt_and_the_run_goes_on(
    folder: Path,
) -> None:
    slow = SlowModel(5, 7)
    with FakeOpenAI({"slow": slow}) as paid:
        keys = {"OPENAI_BASE_URL": paid.base_url, "OPENAI_API_KEY": "of-no-value"}
        with started(folder, *ORDER, environment=keys) as command:
            assert slow.thinks(5), command.printed
            run_id = _run_id(command)
            _wait_until_all_is_recorded(folder)
            kill(command.process.pid)
            command.process.wait()
        slow.may_answer(5)
        shutil.rmtree(folder / "data" / "nats" / "jetstream")
        _assert_refused_until_rebuilt(folder)
        with started(folder, "up", environment=keys) as up:
            wait_for(lambda: "ready" in up.printed, 60, "a stack", lambda: up.printed)
            assert slow.thinks(7), up.printed
            _wait_until_all_is_recorded(folder)
            _lose_the_stream(folder, up)
            rebuilt = _run(folder, "rebuild-stream")
            assert rebuilt.returncode == 0, rebuilt.stderr
            slow.may_answer(7)
            wait_for(lambda: _has_ended(folder, run_id), 120, "the end", lambda: _recorded(folder, run_id)[-3:])
            _wait_until_all_is_recorded(folder)
            _assert_solved_once(_recorded(folder, run_id), paid.calls, kills=1)


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
    """End the server, take its folder away, and let it be started again."""
    pid = command.child("nats-server")
    assert pid is not None
    (folder / "data" / "nats" / "jetstream").rename(folder / "lost")
    kill(pid)
    wait_for(lambda: command.child("nats-server") not in {None, pid}, 20, "a new server", lambda: command.printed)
