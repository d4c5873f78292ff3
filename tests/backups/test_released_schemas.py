"""Backups of every released schema are restored by this version: into nothing, and in place of what is there."""

import asyncio
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from artifacts.bucket import Bucket
from artifacts.object_store import FolderObjects
from artifacts.settings import S3Settings
from backups.backup import BackupError, Backups
from backups.database_dump import PostgresTools, digest_of
from backups.manifest import Dump, Manifest
from local_stack.servers.binaries import postgres_installation
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import create_async_engine
from store.catalog.reader import Catalog
from store.database import Database
from store.errors import DatabaseInUseError
from store.inspection import count_records
from store.log import EventLog
from store.migrate import check_connection, known_versions, migrate
from store.runs import RunSummaries
from store.settings import DatabaseSettings
from store.users import CATALOG_READER, provision_users, url_of

from tests.backups.conftest import open_bucket, record
from tests.backups.own_postgres import started
from tests.backups.released_dumps import RUN_ID, dump_of, recorded_event
from tests.store.example_runs import new_request

NOW = datetime(2026, 11, 24, 3, tzinfo=UTC)


def released_backup(folder: Path, version: str) -> Manifest:
    """Put the dump of a schema where its backup has it, and return the manifest."""
    file = dump_of(version)
    made = Manifest(
        name=f"2026-11-24T03-00-00Z-{version}",
        created_at=NOW,
        schema_revision=version,
        dump=Dump(sha256=digest_of(file), size_bytes=file.stat().st_size),
        artifacts=(),
        events=1,
        runs=1,
        skills=1,
    )
    target = folder / made.dump_key
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)
    return made


@pytest.fixture
async def bucket(s3_settings: S3Settings) -> Bucket:
    """A bucket of this test's own."""
    return await open_bucket(s3_settings)


def backups_of(url: str, bucket: Bucket, folder: Path) -> Backups:
    """Return the backups in a folder for a database."""
    tools = PostgresTools(url, postgres_installation() / "bin")
    return Backups(FolderObjects(folder), bucket, Database(DatabaseSettings(database_url=url)), tools)


async def databases(url: str) -> set[str]:
    """Return the names of the server's databases that begin like this one's."""
    engine = create_async_engine(DatabaseSettings(database_url=url).asyncpg_url)
    async with engine.connect() as connection:
        names = await connection.scalars(text("SELECT datname FROM pg_database"))
        found = {each for each in names if each.startswith(str(make_url(url).database))}
    await engine.dispose()
    return found


def test_every_schema_has_a_dump() -> None:
    missing = [each for each in known_versions() if not dump_of(each).is_file()]
    assert missing == [], "run `python -m tests.backups.released_dumps`"


@pytest.mark.sample(3)
@pytest.mark.parametrize("version", sorted(known_versions()))
async def test_backup_of_a_released_schema_is_restored_into_an_empty_database(
    version: str, empty_database_url: str, bucket: Bucket, tmp_path: Path
) -> None:
    backups = backups_of(empty_database_url, bucket, tmp_path)
    restored = await backups.restore(released_backup(tmp_path, version))
    assert (restored.counts.events, restored.counts.runs, restored.counts.skills) == (1, 1, 1)
    await backups.database.start()  # it has this version's schema
    assert await EventLog(backups.database.engine).events_of(RUN_ID) == [recorded_event()]
    assert [each.run_id for each in await RunSummaries(backups.database.engine).newest()] == [RUN_ID]
    assert (await Catalog(backups.database.engine).query("SELECT name FROM category")).rows
    await backups.database.stop()
    assert await databases(empty_database_url) == {make_url(empty_database_url).database}


@pytest.mark.sample(1)
@pytest.mark.parametrize("version", [min(known_versions()), max(known_versions())])
async def test_backup_is_restored_into_a_new_server_whose_users_then_get_their_rights(
    version: str, bucket: Bucket, tmp_path: Path
) -> None:
    with started(tmp_path / "postgres") as server:
        settings = DatabaseSettings(database_url=server.postgres.url)
        backups = backups_of(server.postgres.url, bucket, tmp_path)
        await check_connection(backups.database.engine, 60)
        await backups.restore(released_backup(tmp_path, version))
        await provision_users(settings, {CATALOG_READER: "secret"})
        url = url_of(CATALOG_READER, "secret", server.postgres.url)
        reader = Database(DatabaseSettings(database_url=url))
        assert (await Catalog(reader.engine).query("SELECT name FROM category")).rows
        await reader.stop()
        await backups.database.stop()


async def test_backup_of_the_first_schema_replaces_a_database_of_today(
    empty_database_url: str, bucket: Bucket, tmp_path: Path
) -> None:
    await migrate(DatabaseSettings(database_url=empty_database_url))
    backups = backups_of(empty_database_url, bucket, tmp_path)
    await record(backups.database, [new_request()], 7)
    made = released_backup(tmp_path, "0001")
    with pytest.raises(BackupError, match="would be lost"):
        await backups.restore(made)
    restored = await backups.restore(made, replaces=True)
    assert restored.counts.events == 1
    assert await EventLog(backups.database.engine).events_of(RUN_ID) == [recorded_event()]
    await backups.database.stop()


async def test_backup_of_a_newer_version_is_refused_and_changes_nothing(
    empty_database_url: str, bucket: Bucket, tmp_path: Path
) -> None:
    backups = backups_of(empty_database_url, bucket, tmp_path)
    newer = released_backup(tmp_path, known_versions()[0]).model_copy(update={"schema_revision": "9999"})
    with pytest.raises(BackupError, match=r"schema is 9999.*that version or a newer one"):
        await backups.restore(newer)
    assert (await count_records(backups.database.engine)).schema_version is None
    await backups.database.stop()


async def test_failed_migration_of_a_restored_database_leaves_the_old_one(
    empty_database_url: str, bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await migrate(DatabaseSettings(database_url=empty_database_url))
    backups = backups_of(empty_database_url, bucket, tmp_path)
    kept = new_request()
    await record(backups.database, [kept], 7)

    async def fail(_: DatabaseSettings) -> None:
        raise RuntimeError("a migration that fails")

    monkeypatch.setattr("backups.backup.migrate", fail)
    with pytest.raises(RuntimeError):
        await backups.restore(released_backup(tmp_path, "0001"), replaces=True)
    assert await EventLog(backups.database.engine).events_of(kept.run_id) == [kept]
    await backups.database.stop()
    assert await databases(empty_database_url) == {make_url(empty_database_url).database}


async def test_database_that_services_use_is_not_replaced(
    empty_database_url: str, bucket: Bucket, tmp_path: Path
) -> None:
    backups = backups_of(empty_database_url, bucket, tmp_path)
    service = Database(DatabaseSettings(database_url=empty_database_url))
    async with service.engine.connect():
        with pytest.raises(DatabaseInUseError, match="stop the services"):
            await backups.restore(released_backup(tmp_path, "0001"))
    await asyncio.gather(service.stop(), backups.database.stop())
    assert await databases(empty_database_url) == {make_url(empty_database_url).database}
