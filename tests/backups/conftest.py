"""A recorded run in a database and a bucket of a test's own, and their backups."""

from collections.abc import AsyncIterator
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
from store.database import Database
from store.log import EventLog, LogEntry
from store.migrate import migrate
from store.settings import DatabaseSettings

from tests.replay.recorded_run import RecordedLog, read

RUN = "offline-chute"


@dataclass(frozen=True)
class Recorded:
    """Servers with one recorded run, its artifacts as far as they are in the repository, and where backups go."""

    backups: Backups
    log: RecordedLog
    stored: frozenset[str]
    """Digests of the artifacts in the bucket."""

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
    for blob in log.artifacts.blobs.values():
        await bucket.put(reference(blob, "text/markdown"), blob)
    tools = PostgresTools(empty_database_url, postgres_installation() / "bin")
    backups = Backups(FolderObjects(tmp_path / "kept"), bucket, database, tools)
    yield Recorded(backups, log, frozenset(log.artifacts.blobs))
    await database.stop()
    bucket.close()
