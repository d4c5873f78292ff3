"""Backups that were requested: one process makes them, and says what came of each."""

import asyncio
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from artifacts.object_store import FolderObjects
from cli.commands.backup import serve_next
from rich.console import Console
from store.backup_requests import INTERRUPTED, BackupRequests

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
