"""The spool: atomic files, private access, a size limit, and separation of servers."""

import asyncio
import errno
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from artifacts.client import Artifacts
from artifacts.port import ArtifactMissingError, BlobTooLargeError, SpoolUnusableError, reference
from artifacts.settings import S3Settings
from artifacts.spool import MEASURE_EVERY_S, PARTIAL, PARTIAL_MAX_AGE_S, Spool

from tests.artifacts.conftest import RestartableS3
from tests.artifacts.support import noise, opened, spooled

BLOB = noise(1)
REF = reference(BLOB, "model/step")


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    spool = Spool(tmp_path / "spool", "s3:9000-millwright")
    spool.open()
    return spool


def test_folder_is_private(spool: Spool) -> None:
    for folder in (spool.folder, spool.folder.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_existing_public_folder_becomes_private(tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    folder.mkdir(mode=0o777)
    Spool(folder, "s3:9000-millwright").open()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    with pytest.raises(SpoolUnusableError, match=r"another user.*set ARTIFACTS_SPOOL"):
        Spool(folder, "s3").open()


def test_symbolic_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "spool").symlink_to(tmp_path / "real")
    with pytest.raises(SpoolUnusableError, match="another user"):
        Spool(tmp_path / "spool", "s3").open()


def test_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "spool").write_text("a file")
    with pytest.raises(SpoolUnusableError, match=r"exists.*set ARTIFACTS_SPOOL"):
        Spool(tmp_path / "spool", "s3").open()


def test_full_disk_is_reported_and_leaves_no_partial_file(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SpoolUnusableError, match="No space left on device"):
        spool.write(REF, BLOB)
    assert list(spool.folder.iterdir()) == []
    monkeypatch.undo()
    spool.write(REF, BLOB)
    assert spool.read(REF) == BLOB


def test_corrupt_file_is_deleted_and_can_be_stored_again(spool: Spool) -> None:
    spool.write(REF, BLOB)
    (spool.folder / REF.sha256).write_bytes(BLOB[::-1])
    assert spool.read(REF) is None
    assert list(spool.folder.iterdir()) == []
    spool.write(REF, BLOB)
    (spool.folder / REF.sha256).write_bytes(BLOB[:10])
    spool.write(REF, BLOB)
    assert spool.read(REF) == BLOB


def test_blobs_for_another_server_are_separate(spool: Spool) -> None:
    other = Spool(spool.folder.parent, "elsewhere:9000-millwright")
    other.open()
    other.write(REF, BLOB)
    assert spool.waiting() == []
    assert spool.read(REF) is None
    assert [ref.sha256 for ref in other.waiting()] == [REF.sha256]


def test_only_abandoned_partial_files_are_deleted(spool: Spool) -> None:
    old, new = spool.folder / f"old{PARTIAL}", spool.folder / f"new{PARTIAL}"
    for path in (old, new):
        path.write_bytes(b"half")
    long_ago = time.time() - 2 * PARTIAL_MAX_AGE_S
    os.utime(old, (long_ago, long_ago))
    spool.open()
    assert [path.name for path in spool.folder.iterdir()] == [new.name]
    assert spool.waiting() == []


async def test_storing_waits_while_the_spool_is_full(restartable_s3: RestartableS3, own_settings: S3Settings) -> None:
    async with opened(own_settings.model_copy(update={"artifacts_spool_limit_bytes": 2500})) as artifacts:
        await restartable_s3.kill()
        first_two = [await artifacts.put(noise(seed), "text/plain") for seed in (1, 2)]
        third = asyncio.create_task(artifacts.put(noise(3), "text/plain"))
        await asyncio.sleep(0.5)
        assert not third.done()
        await restartable_s3.restart()
        assert await third == reference(noise(3), "text/plain")
        with pytest.raises(BlobTooLargeError, match="ARTIFACTS_SPOOL_LIMIT_BYTES, which is 2500"):
            await artifacts.put(noise(4, 2501), "text/plain")
        await artifacts.wait_until_uploaded([*first_two, await third])
    assert spooled(own_settings) == []


async def test_corrupt_file_is_not_uploaded_but_missing(
    restartable_s3: RestartableS3, own_settings: S3Settings
) -> None:
    async with opened(own_settings) as artifacts:
        await restartable_s3.kill()
        ref = await artifacts.put(noise(5), "text/plain")
        (path,) = spooled(own_settings)
        path.write_bytes(noise(6))
        await restartable_s3.restart()
        with pytest.raises(ArtifactMissingError, match=f"{ref.sha256}.*store it before an event names it"):
            await artifacts.wait_until_uploaded([ref])
        assert await artifacts.put(noise(5), "text/plain") == ref
        await artifacts.wait_until_uploaded([ref])
        assert await artifacts.get(ref) == noise(5)


async def test_blob_with_corrupt_file_is_read_from_s3(own_settings: S3Settings) -> None:
    async with opened(own_settings) as artifacts:
        ref = await artifacts.put(noise(7), "text/plain")
        await artifacts.wait_until_uploaded([ref])
        spool = Spool(own_settings.artifacts_spool, f"{own_settings.s3_endpoint}-{own_settings.s3_bucket}")
        (spool.folder / ref.sha256).write_bytes(b"corrupt")
        assert await artifacts.get(ref) == noise(7)


async def test_start_fails_with_unusable_spool(own_settings: S3Settings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    artifacts = Artifacts(own_settings.model_copy(update={"artifacts_spool": tmp_path / "file" / "spool"}))
    with pytest.raises(SpoolUnusableError, match=r"Not a directory.*set ARTIFACTS_SPOOL"):
        await artifacts.start()
    await artifacts.stop()


def test_default_folder_depends_on_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARTIFACTS_SPOOL", raising=False)
    settings = S3Settings(s3_endpoint="s3:9000", s3_access_key="a", s3_secret_key="b")
    assert settings.artifacts_spool.name == f"millwright-spool-{os.geteuid()}"


class CountingSpool(Spool):
    """Counts the files that it looks at."""

    looked_at = 0

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        for each in super()._files():
            self.looked_at += 1
            yield each


def test_size_of_a_growing_spool_is_not_measured_at_each_write(tmp_path: Path) -> None:
    spool = CountingSpool(tmp_path / "spool", "s3")
    spool.open()
    for seed in range(200):
        data = noise(seed, 100)
        assert spool.size_bytes() == 100 * seed
        spool.write(reference(data, "model/step"), data)
    assert spool.looked_at <= 10 * 200  # 19,900 by measuring each time


def test_size_follows_what_other_processes_do(tmp_path: Path) -> None:
    ours, theirs = Spool(tmp_path / "spool", "s3"), Spool(tmp_path / "spool", "s3")
    ours.open()
    assert ours.size_bytes() == 0
    theirs.write(REF, BLOB)
    time.sleep(MEASURE_EVERY_S)
    assert ours.size_bytes() == len(BLOB)
