"""A recorded run in a database and a bucket of a test's own, and their backups."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from artifacts.bucket import Bucket
from artifacts.object_store import BucketObjects, FolderObjects, ObjectStore
from artifacts.port import reference
from artifacts.settings import S3Settings
from backups.backup import Backups
from backups.database_dump import PostgresTools
from contracts.envelope import Event
from local_stack.servers.binaries import postgres_installation
from sqlalchemy import insert
from store.database import Database
from store.log import EventLog, LogEntry
from store.migrate import migrate
from store.settings import DatabaseSettings
from store.tables import SkillRow

from tests.support.event_logs.recorded_run import RecordedLog, read

RUN = "offline-chute"


@dataclass(frozen=True)
class Recorded:
    """Servers with one recorded run, its artifacts as far as they are in the repository, and where backups go."""

    backups: Backups
    log: RecordedLog
    blobs: Mapping[str, bytes]
    """The artifacts in the bucket, by digest."""

    @property
    def stored(self) -> frozenset[str]:
        """Digests of the artifacts in the bucket."""
        return frozenset(self.blobs)

    async def record_again(self, number: int) -> None:
        """Record the first event of the run once more under other ids, as a service does meanwhile."""
        await record(self.backups.database, [self.log.events[0].model_copy(update={"id": uuid4()})], number)


async def record(database: Database, events: list[Event], first: int) -> None:
    """Append events to the log."""
    entries = [
        LogEntry(event=event, body=event.model_dump_json().encode(), stream_sequence=number)
        for number, event in enumerate(events, start=first)
    ]
    await EventLog(database.engine).append(entries)


async def open_bucket(settings: S3Settings) -> Bucket:
    """Return a new bucket, open."""
    bucket = Bucket(settings.model_copy(update={"s3_bucket": f"test-{uuid4().hex}"}))
    bucket.open()
    await bucket.create()
    return bucket


@pytest.fixture(params=["folder", "bucket"])
async def objects(
    request: pytest.FixtureRequest, s3_settings: S3Settings, tmp_path: Path
) -> AsyncIterator[ObjectStore]:
    """A place for backups, of each kind."""
    if request.param == "folder":
        yield FolderObjects(tmp_path / "backups")
        return
    bucket = await open_bucket(s3_settings)
    yield BucketObjects(bucket)
    bucket.close()


@pytest.fixture
async def recorded(empty_database_url: str, s3_settings: S3Settings, tmp_path: Path) -> AsyncIterator[Recorded]:
    """A database with one run, a bucket with its artifacts, and backups in a folder."""
    settings = DatabaseSettings(database_url=empty_database_url)
    await migrate(settings)
    database, log, bucket = Database(settings), await read(RUN), await open_bucket(s3_settings)
    await database.start()
    await record(database, list(log.events), 1)
    notes = reference(b"What an artifact names that a skill names.", "text/markdown")
    index = json.dumps({"notes": notes.model_dump()}).encode()
    blobs = {**log.artifacts.blobs, notes.sha256: b"What an artifact names that a skill names."}
    for blob in blobs.values():
        await bucket.put(reference(blob, "text/markdown"), blob)
    named = reference(index, "application/json")
    await bucket.put(named, index)
    await _record_skill(database, named.model_dump_json())
    tools = PostgresTools(empty_database_url, postgres_installation() / "bin")
    backups = Backups(FolderObjects(tmp_path / "kept"), bucket, database, tools)
    yield Recorded(backups, log, {**blobs, named.sha256: index})
    await database.stop()
    bucket.close()


async def _record_skill(database: Database, artifact: str) -> None:
    async with database.engine.begin() as connection:
        skill = insert(SkillRow).values(
            name="reinforce-ribs",
            version=1,
            for_role="engineer",
            description="Ribs below long plates",
            digest="a" * 64,
            artifact=artifact,
            learned_from=uuid4(),
        )
        await connection.execute(skill)
