"""Backups of real servers: made, verified, restored, and removed when they are old."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from artifacts.object_store import ObjectStore
from artifacts.port import reference
from artifacts.settings import S3Settings
from backups.backup import BackupError
from backups.database_dump import DumpError, PostgresTools
from backups.manifest import artifact_key
from sqlalchemy import text
from store.inspection import count_records
from store.log import EventLog
from store.migrate import migrate
from store.settings import DatabaseSettings
from store.users import WRITABLE_SCHEMAS

from tests.backups.conftest import Recorded, open_bucket

NOW = datetime(2026, 11, 24, 3, tzinfo=UTC)


async def test_backup_is_restored_after_everything_was_lost(
    recorded: Recorded, objects: ObjectStore, s3_settings: S3Settings
) -> None:
    backups = replace(recorded.backups, objects=objects)
    made = await backups.create(NOW)
    assert made.events == len(recorded.log.events)
    assert {each.sha256 for each in made.artifacts} == recorded.stored
    assert recorded.stored.isdisjoint(made.missing)
    assert made.missing, "the repository has only what roles read"
    bucket = await open_bucket(s3_settings)
    emptied = replace(backups, bucket=bucket)
    restored_backup = await emptied.restore((await emptied.read_all()).find(None), replaces=True)
    counts = restored_backup.counts
    assert (counts.events, counts.runs) == (made.events, 1)
    restored = await EventLog(backups.database.engine).events_of(recorded.log.events[0].run_id)
    assert restored == list(recorded.log.events)
    for blob in recorded.blobs.values():
        assert await bucket.get(reference(blob, "")) == blob
    bucket.close()
    await migrate(DatabaseSettings(database_url=backups.tools.database_url))


async def test_backup_is_restored_into_a_new_database(recorded: Recorded) -> None:
    made = await recorded.backups.create(NOW)
    counts = (await recorded.backups.restore(made, replaces=True)).counts
    assert counts == await count_records(recorded.backups.database.engine)


async def test_restored_database_has_the_schemas_that_backups_leave_out(recorded: Recorded) -> None:
    made = await recorded.backups.create(NOW)
    await recorded.backups.restore(made, replaces=True)
    async with recorded.backups.database.engine.connect() as connection:
        found = set(await connection.scalars(text("SELECT nspname FROM pg_namespace")))
    assert {schema for schemas in WRITABLE_SCHEMAS.values() for schema in schemas} <= found


async def test_database_with_events_is_not_replaced_unasked(recorded: Recorded) -> None:
    made = await recorded.backups.create(NOW)
    await recorded.record_again(1_000)
    with pytest.raises(BackupError, match="would be lost"):
        await recorded.backups.restore(made)
    assert (await count_records(recorded.backups.database.engine)).events == made.events + 1


@pytest.mark.sample(2)
@pytest.mark.parametrize("part", ["dump", "artifact"])
@pytest.mark.parametrize("harm", ["flip", "remove", "shorten"])
async def test_damaged_backup_is_named_and_never_restored(
    recorded: Recorded, part: str, harm: str, tmp_path: Path
) -> None:
    backups = recorded.backups
    made = await backups.create(NOW)
    key = made.dump_key if part == "dump" else artifact_key(made.artifacts[0].sha256)
    _harm(tmp_path / "kept" / key, harm)
    (fault,) = await backups.verify(made)
    assert (made.dump_key if part == "dump" else made.artifacts[0].sha256) in fault
    await recorded.record_again(1_000)
    with pytest.raises(BackupError, match="1 faults"):
        await backups.restore(made, replaces=True)
    assert (await count_records(backups.database.engine)).events == made.events + 1


def _harm(file: Path, harm: str) -> None:
    data = bytearray(file.read_bytes())
    if harm == "remove":
        file.unlink()
        return
    if harm == "flip":
        data[len(data) // 2] ^= 1
    file.write_bytes(data if harm == "flip" else data[:-1])


async def test_backup_while_events_are_recorded_is_consistent(recorded: Recorded) -> None:
    async def write() -> None:
        for number in range(1_000, 1_100):
            await recorded.record_again(number)

    writing = asyncio.create_task(write())
    made = await recorded.backups.create(NOW)
    await writing
    assert await recorded.backups.verify(made) == []
    counts = (await recorded.backups.restore(made, replaces=True)).counts
    assert len(recorded.log.events) <= counts.events <= len(recorded.log.events) + 100


async def test_second_backup_copies_only_new_artifacts(recorded: Recorded, tmp_path: Path) -> None:
    await recorded.backups.create(NOW)
    stored = tmp_path / "kept" / artifact_key(min(recorded.stored))
    first = stored.stat().st_mtime_ns
    await recorded.backups.create(NOW + timedelta(days=1))
    assert stored.stat().st_mtime_ns == first


async def test_old_backups_and_what_only_they_name_are_removed(recorded: Recorded, objects: ObjectStore) -> None:
    backups = replace(recorded.backups, objects=objects)
    made = [await backups.create(NOW + timedelta(days=day)) for day in range(3)]
    assert await backups.remove_old(keep=2) == [made[0].name]
    assert [each.name for each in (await backups.read_all()).manifests] == [each.name for each in made[1:]]
    assert set(await objects.sizes("dumps/")) == {each.dump_key for each in made[1:]}
    assert await backups.verify((await backups.read_all()).find(made[1].name)) == []
    assert await backups.remove_old(keep=2) == []


async def test_unknown_backup_is_refused_with_the_known_ones(recorded: Recorded) -> None:
    with pytest.raises(BackupError, match="its backups: none"):
        (await recorded.backups.read_all()).find(None)
    made = await recorded.backups.create(NOW)
    with pytest.raises(BackupError, match=made.name):
        (await recorded.backups.read_all()).find("2020-01-01T00-00-00Z")


async def test_missing_program_and_wrong_password_are_named(recorded: Recorded, tmp_path: Path) -> None:
    url = recorded.backups.tools.database_url
    with pytest.raises(DumpError, match="install postgresql-client"):
        await PostgresTools(url, tmp_path).dump(tmp_path / "dump")
    refused = PostgresTools(url.replace("//", "//stranger:wrong@", 1), recorded.backups.tools.folder)
    with pytest.raises(DumpError, match="pg_dump failed"):
        await refused.dump(tmp_path / "dump")
