"""Rotten bytes, full disks and unreadable files: what is whole is backed up and restored, and the rest is named."""

import asyncio
import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from artifacts.bucket import S3OutageError, object_key
from artifacts.object_store import FolderObjects, FolderUnusableError, ObjectStore
from artifacts.settings import S3Settings
from backups.backup import BackupError, Backups
from backups.manifest import artifact_key
from contracts.models.artifact import ArtifactRef
from store.errors import BackupInProgressError
from store.inspection import count_records

from tests.backups.conftest import Recorded, open_bucket

NOW = datetime(2026, 11, 24, 3, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
UNREADABLE = [b"", b'{"name": "2026-11-24T', b"\xff\xfe\x00", b'{"name": 1}', b"null"]


def ref_of(digest: str, size_bytes: int = 0) -> ArtifactRef:
    """Return a reference of which the digest counts."""
    return ArtifactRef(sha256=digest, media_type="text/markdown", size_bytes=size_bytes)


async def spoil(recorded: Recorded, digest: str) -> None:
    """Flip a bit of a blob in the bucket; its size stays."""
    data = bytearray(recorded.blobs[digest])
    data[len(data) // 2] ^= 1
    await recorded.backups.bucket.call(
        lambda client, name: client.put_object(name, object_key(ref_of(digest)), BytesIO(data), len(data))
    )


def flip(file: Path) -> None:
    """Flip a bit of a file."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


async def test_unreadable_manifests_are_named_and_the_others_go_on(recorded: Recorded, tmp_path: Path) -> None:
    backups, folder = recorded.backups, tmp_path / "kept" / "manifests"
    first = await backups.create(NOW)
    rotten = [f"2026-11-24T02-00-0{number}Z" for number in range(len(UNREADABLE))]
    for name, content in zip(rotten, UNREADABLE, strict=True):
        (folder / f"{name}.json").write_bytes(content)
    shutil.copyfile(folder / f"{first.name}.json", folder / "copy.json")
    second = await backups.create(LATER)
    listing = await backups.read_all()
    assert [each.name for each in listing.manifests] == [first.name, second.name]
    assert list(listing.unreadable) == [*(f"manifests/{each}.json" for each in rotten), "manifests/copy.json"]
    assert await backups.verify(listing.find(None)) == []
    assert (await backups.restore(listing.find(first.name), replaces=True)).lost == ()
    with pytest.raises(BackupError, match=f"{rotten[0]} cannot be used"):
        listing.find(rotten[0])


async def test_what_an_unreadable_manifest_may_name_is_kept(recorded: Recorded, tmp_path: Path) -> None:
    backups, folder = recorded.backups, tmp_path / "kept"
    first = await backups.create(NOW)
    content = (folder / first.key).read_bytes()
    only_there = folder / artifact_key("0" * 64)
    only_there.parent.mkdir(exist_ok=True)
    only_there.write_bytes(b"an artifact that only the first backup has")
    (folder / first.key).write_bytes(content[:-20])
    second = await backups.create(LATER)
    assert await backups.remove_old(keep=1) == []
    assert only_there.exists()
    (folder / first.key).write_bytes(content)
    assert await backups.verify((await backups.read_all()).find(first.name)) == []
    assert await backups.remove_old(keep=1) == [first.name]
    assert not only_there.exists()
    assert await backups.verify(second) == []


async def test_corrupt_blob_is_named_and_the_rest_is_backed_up(recorded: Recorded, s3_settings: S3Settings) -> None:
    rotten = min(recorded.stored)
    await spoil(recorded, rotten)
    made = await recorded.backups.create(NOW)
    assert made.corrupt == (rotten,)
    assert {each.sha256 for each in made.artifacts} == recorded.stored - {rotten}
    assert await recorded.backups.verify(made) == []
    bucket = await open_bucket(s3_settings)
    await replace(recorded.backups, bucket=bucket).restore(made, replaces=True)
    for digest in recorded.stored - {rotten}:
        assert await bucket.get(ref_of(digest)) == recorded.blobs[digest]
    bucket.close()


async def test_blob_that_the_server_does_not_give_out_is_no_outage(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    rotten, bucket = min(recorded.stored), recorded.backups.bucket
    whole = bucket.get

    async def get(ref: ArtifactRef) -> bytes | None:
        if ref.sha256 == rotten:
            raise S3OutageError(bucket.location, "InternalError (its checksum differs)")
        return await whole(ref)

    monkeypatch.setattr(bucket, "get", get)
    monkeypatch.setattr("backups.artifact_copies.PAUSE_S", 0.0)
    made = await recorded.backups.create(NOW)
    assert made.corrupt == (rotten,)
    assert {each.sha256 for each in made.artifacts} == recorded.stored - {rotten}


async def test_server_that_is_away_fails_the_backup(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = recorded.backups.bucket

    async def away(_: ArtifactRef) -> None:
        raise S3OutageError(bucket.location, "connection refused")

    monkeypatch.setattr(bucket, "get", away)
    monkeypatch.setattr(bucket, "stored_size", away)
    monkeypatch.setattr("backups.artifact_copies.PAUSE_S", 0.0)
    monkeypatch.setattr("backups.artifact_copies.OUTAGE_S", 0.0)
    with pytest.raises(S3OutageError, match="connection refused"):
        await recorded.backups.create(NOW)


async def test_short_outage_during_a_restore_is_waited_out(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    made, rotten, bucket = await recorded.backups.create(NOW), min(recorded.stored), recorded.backups.bucket
    await spoil(recorded, rotten)
    put, outages = bucket.put, [2]

    async def put_later(ref: ArtifactRef, data: bytes) -> None:
        if outages[0]:
            outages[0] -= 1
            raise S3OutageError(bucket.location, "InternalError (We encountered an internal error)")
        await put(ref, data)

    monkeypatch.setattr(bucket, "put", put_later)
    assert (await recorded.backups.restore(made, replaces=True)).lost == ()
    assert await bucket.get(ref_of(rotten)) == recorded.blobs[rotten]


async def test_blob_that_went_bad_is_taken_from_its_copy(recorded: Recorded) -> None:
    await recorded.backups.create(NOW)
    await spoil(recorded, min(recorded.stored))
    made = await recorded.backups.create(LATER)
    assert made.corrupt == ()
    assert {each.sha256 for each in made.artifacts} == recorded.stored


async def test_restore_repairs_a_blob_whose_size_is_right(recorded: Recorded) -> None:
    made, rotten = await recorded.backups.create(NOW), min(recorded.stored)
    await spoil(recorded, rotten)
    assert (await recorded.backups.restore(made, replaces=True)).lost == ()
    assert await recorded.backups.bucket.get(ref_of(rotten)) == recorded.blobs[rotten]


async def test_bucket_that_keeps_other_bytes_is_named(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    made, rotten, bucket = await recorded.backups.create(NOW), min(recorded.stored), recorded.backups.bucket
    await spoil(recorded, rotten)

    async def lose(_: ArtifactRef, __: bytes) -> None:
        """Acknowledge, and store nothing."""

    monkeypatch.setattr(bucket, "put", lose)
    with pytest.raises(BackupError, match=f"does not keep what is written into it.*{rotten}"):
        await recorded.backups.restore(made, replaces=True)


@pytest.mark.sample(1)
@pytest.mark.parametrize("harm", ["flip", "truncate", "empty"])
async def test_copy_that_went_bad_is_copied_again(recorded: Recorded, harm: str, tmp_path: Path) -> None:
    backups, rotten = recorded.backups, min(recorded.stored)
    await backups.create(NOW)
    copy = tmp_path / "kept" / artifact_key(rotten)
    if harm == "flip":
        flip(copy)
    else:
        os.truncate(copy, 0 if harm == "empty" else copy.stat().st_size - 1)
    made = await backups.create(LATER)
    assert await backups.verify(made) == []
    assert copy.read_bytes() == recorded.blobs[rotten]
    await backups.restore(made, replaces=True)


async def test_copy_and_blob_that_went_bad_are_named(recorded: Recorded, tmp_path: Path) -> None:
    backups, rotten = recorded.backups, min(recorded.stored)
    first = await backups.create(NOW)
    flip(tmp_path / "kept" / artifact_key(rotten))
    await spoil(recorded, rotten)
    second = await backups.create(LATER)
    assert second.corrupt == (rotten,)
    with pytest.raises(BackupError, match=f"{rotten} is corrupt.*--damaged"):
        await backups.restore(first, replaces=True)
    restored = await backups.restore(first, replaces=True, damaged=True)
    (line,) = restored.lost
    assert rotten in line
    assert restored.counts.events == first.events


async def test_backups_are_private(recorded: Recorded, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere" / "backups"
    with_mask = os.umask(0)
    try:
        await replace(recorded.backups, objects=FolderObjects(folder)).create(NOW)
    finally:
        os.umask(with_mask)
    modes = {path: path.stat().st_mode & 0o777 for path in (folder, *folder.rglob("*"))}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)  # as older versions left them
    await replace(recorded.backups, objects=FolderObjects(folder)).create(LATER)
    assert (folder / "manifests").stat().st_mode & 0o777 == 0o700
    assert (folder / "dumps").stat().st_mode & 0o777 == 0o700


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list of parts of paths: files with one of them find no space on their disk."""
    full: list[str] = []
    copy = shutil.copyfileobj

    def copyfileobj(source: object, target: BytesIO, length: int = 0) -> None:
        if any(each in str(getattr(target, "name", "")) or each in str(getattr(source, "name", "")) for each in full):
            target.write(b"half of it")
            raise OSError(28, "No space left on device")
        copy(source, target, length)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr("artifacts.object_store.shutil.copyfileobj", copyfileobj)
    return full


@pytest.mark.sample(1)
@pytest.mark.parametrize("part", ["dump.zst", "manifest.json", "millwright-backup-"])
async def test_full_disk_of_the_backups_is_named_and_leaves_no_half_file(
    recorded: Recorded, full_disk: list[str], part: str, tmp_path: Path
) -> None:
    backups, folder = recorded.backups, tmp_path / "kept"
    made = await backups.create(NOW)
    full_disk.append(part)
    shutil.rmtree(folder / "artifacts")
    with pytest.raises(FolderUnusableError, match=f"{folder}.*No space left.*free disk space"):
        await backups.create(LATER)
    assert not list(folder.rglob("*.partial"))
    full_disk.clear()
    assert [each.name for each in (await backups.read_all()).manifests] == [made.name]
    assert await backups.verify(await backups.create(LATER)) == []


async def test_full_temporary_folder_is_named_and_pg_dump_ends(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[asyncio.subprocess.Process] = []
    start = asyncio.create_subprocess_exec

    async def started(*arguments: str, **options: object) -> asyncio.subprocess.Process:
        begun.append(await start(*arguments, **options))  # pyright: ignore[reportArgumentType]
        return begun[-1]

    async def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("backups.database_dump.asyncio.create_subprocess_exec", started)
    monkeypatch.setattr("backups.database_dump._compress", no_space)
    with pytest.raises(BackupError, match=r"No space left on device.*TMPDIR"):
        await recorded.backups.create(NOW)
    (pg_dump,) = begun
    assert pg_dump.returncode is not None


async def test_only_one_process_makes_or_removes_backups(recorded: Recorded) -> None:
    async with recorded.backups.alone():
        with pytest.raises(BackupInProgressError):
            async with recorded.backups.alone():
                pass
    async with recorded.backups.alone():
        pass


async def test_backups_in_s3_lose_no_byte(recorded: Recorded, objects: ObjectStore) -> None:
    """The same rows with the place in a folder and in S3: a bad copy, an unreadable manifest, a restoration."""
    backups: Backups = replace(recorded.backups, objects=objects)
    first, rotten = await backups.create(NOW), min(recorded.stored)
    await _put(objects, artifact_key(rotten), b"other bytes")
    await _put(objects, "manifests/2026-11-23T03-00-00Z.json", b"{")
    second = await backups.create(LATER)
    assert list((await backups.read_all()).unreadable) == ["manifests/2026-11-23T03-00-00Z.json"]
    assert await backups.verify(first) == await backups.verify(second) == []
    await spoil(recorded, rotten)
    await backups.restore(second, replaces=True)
    assert await backups.bucket.get(ref_of(rotten)) == recorded.blobs[rotten]
    assert (await count_records(backups.database.engine)).events == second.events


async def _put(objects: ObjectStore, key: str, content: bytes) -> None:
    with NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        await objects.put(key, Path(file.name))
