"""Backups that were requested: one process makes them, and says what came of each."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from artifacts.object_store import FolderObjects
from backups.backup import Backups
from chassis.observability.health_file import read_problems
from cli.commands.backup import serve_next, serve_requests
from local_stack.settings import CliSettings
from rich.console import Console
from store.backup_requests import INTERRUPTED, BackupRequests
from store.errors import DatabaseOutageError

from tests.backups.conftest import Recorded

CONSOLE = Console(quiet=True)


async def test_requested_backup_is_made_and_named(recorded: Recorded) -> None:
    requests = BackupRequests(recorded.backups.database.engine)
    assert not await serve_next(requests, recorded.backups, 7, CONSOLE)
    asked = await requests.request(uuid4())
    assert (asked.state, asked.name) == ("requested", None)
    assert await serve_next(requests, recorded.backups, 7, CONSOLE)
    made = await requests.find(asked.id)
    assert made is not None
    assert made.state == "made"
    assert made.started_at is not None
    assert made.ended_at is not None
    assert made.name == (await recorded.backups.read_all()).find(None).name
    assert not await serve_next(requests, recorded.backups, 7, CONSOLE)


async def test_requests_that_come_together_are_one(recorded: Recorded) -> None:
    requests = BackupRequests(recorded.backups.database.engine)
    asked = await asyncio.gather(*(requests.request(uuid4()) for _ in range(8)))
    (only,) = {each.id for each in asked}
    taken = await requests.take()
    assert taken is not None
    assert (taken.id, taken.state) == (only, "running")
    later = await requests.request(uuid4())
    assert later.id != only, "a backup that runs already may lack what was recorded since"
    assert (await requests.request(only)).id == only


async def test_failed_backup_says_why(recorded: Recorded, tmp_path: Path) -> None:
    requests = BackupRequests(recorded.backups.database.engine)
    asked = await requests.request(uuid4())
    blocked = replace(recorded.backups, tools=replace(recorded.backups.tools, folder=tmp_path))
    assert await serve_next(requests, blocked, 7, CONSOLE)
    failed = await requests.find(asked.id)
    assert failed is not None
    assert (failed.state, failed.name) == ("failed", None)
    assert "pg_dump is missing" in (failed.problem or "")


async def test_interrupted_backup_has_failed_after_a_restart(recorded: Recorded) -> None:
    requests = BackupRequests(recorded.backups.database.engine)
    asked = await requests.request(uuid4())
    await requests.take()
    await requests.fail_interrupted()
    failed = await requests.find(asked.id)
    assert failed is not None
    assert (failed.state, failed.problem) == ("failed", INTERRUPTED)


async def test_requests_are_in_no_backup(recorded: Recorded, tmp_path: Path) -> None:
    requests = BackupRequests(recorded.backups.database.engine)
    asked = await requests.request(uuid4())
    backups = replace(recorded.backups, objects=FolderObjects(tmp_path / "others"))
    await serve_next(requests, backups, 7, CONSOLE)
    await backups.restore((await backups.read_all()).find(None), replaces=True)
    assert await requests.find(asked.id) is None


@pytest.mark.parametrize("errors", [[], [DatabaseOutageError(OSError("refused"))]])
async def test_process_reports_its_health(
    errors: list[DatabaseOutageError], recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def opened(*_: object, **__: object) -> AsyncGenerator[Backups]:
        yield recorded.backups

    async def fail(_: BackupRequests) -> None:
        for error in errors:
            raise error

    monkeypatch.setattr("cli.commands.backup.open_backups", opened)
    monkeypatch.setattr(BackupRequests, "fail_interrupted", fail)
    file = tmp_path / "health"
    serving = asyncio.create_task(serve_requests(None, 7, 1.0, CliSettings(health_file=file), CONSOLE))
    while not file.exists() or read_problems(file) != [str(error) for error in errors]:  # noqa: ASYNC110 - a file
        await asyncio.sleep(0.05)
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
