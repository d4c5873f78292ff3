"""Threads of ended runs leave Postgres, whichever process wrote their last checkpoint."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, get_args
from uuid import UUID

import pytest
from agent.loop.checkpoints import PostgresCheckpoints
from agent.loop.thread import RoleThreads
from chassis.background_tasks import PeriodicTask
from chassis.errors import FutureVersionError
from contracts.envelope import Event, Role
from contracts.events.run import EngineeringRequested
from contracts.registry import ENDINGS
from local_stack.service_apps import build_detached_apps
from psycopg import AsyncConnection

from tests.agent.echo_role import EchoRole
from tests.agent.role_harness import RoleHarness, engineering_requested
from tests.store.example_runs import run_failure


@pytest.fixture
async def checkpoints(empty_database_url: str) -> AsyncIterator[PostgresCheckpoints]:
    checkpoints = PostgresCheckpoints(empty_database_url, "engineer")
    async with await AsyncConnection.connect(empty_database_url, autocommit=True) as connection:
        await connection.execute("CREATE SCHEMA checkpoints_engineer")
    await checkpoints.start()
    yield checkpoints
    await checkpoints.stop()


async def test_checkpoint_written_after_the_end_is_swept(checkpoints: PostgresCheckpoints) -> None:
    harness = RoleHarness(EchoRole(), ["one", "two", "three"], checkpoints=checkpoints)
    ended, lost, going = (engineering_requested() for _ in range(3))
    await harness.bus.publish(run_failure(ended))
    await harness.threads.forget(run_failure(ended))
    for request in (ended, going):  # this process is still in the step that another one has seen the end of
        await harness.consume(request)
    count = len(harness.bus.events)
    await harness.consume(lost)
    harness.bus.lose_after(count)  # as if it had been purged for its age
    assert len(await checkpoints.threads()) == 3
    await harness.threads.sweep(ENDINGS)
    assert await checkpoints.threads() == [f"{going.run_id}:engineer"]
    assert await _repeats(harness, going)


async def test_thread_of_a_run_with_events_of_a_newer_version_is_kept(
    checkpoints: PostgresCheckpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = RoleHarness(EchoRole(), ["one", "two"], checkpoints=checkpoints)
    newer, lost = engineering_requested(), engineering_requested()
    for request in (newer, lost):
        await harness.consume(request)

    async def read(_: type[Event], run_id: UUID) -> None:
        if run_id == newer.run_id:
            raise FutureVersionError("future_version", "schema version 9 is newer than 3")

    monkeypatch.setattr(harness.bus, "latest", read)
    await harness.threads.sweep(ENDINGS)
    assert await checkpoints.threads() == [f"{newer.run_id}:engineer"]


async def _repeats(harness: RoleHarness, request: EngineeringRequested) -> bool:
    calls = harness.chat.calls
    await harness.threads.advance(request)
    return harness.chat.calls == calls


async def test_every_role_sweeps_the_threads_of_ended_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    swept: list[Sequence[type[Event]]] = []
    begun: list[Callable[[], Awaitable[None]]] = []

    def record_task(name: str, work: Callable[[], Awaitable[None]], every_s: float) -> PeriodicTask:
        begun.append(work)
        return PeriodicTask(name, work, every_s)

    async def record_ends(_threads: RoleThreads[Any], ends: Sequence[type[Event]]) -> None:
        swept.append(ends)

    monkeypatch.setattr("agent.role_app.PeriodicTask", record_task)
    monkeypatch.setattr(RoleThreads, "sweep", record_ends)
    build_detached_apps()
    for work in begun:
        await work()
    assert len(swept) == len(get_args(Role))
    assert all(swept)
