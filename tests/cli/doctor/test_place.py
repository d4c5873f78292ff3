"""Faults of the data folder and of the spool, injected one by one: each is named with its mend."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from doctor import Check
from doctor.checks import data_folder, spool
from doctor.target import Target, find_target
from local_stack.servers.postgres_home import cluster_folder
from local_stack.servers.secrets import Secrets, write_private
from local_stack.settings import CliSettings
from local_stack.state import LOCK, STATE, StackState, write_state

from .faults import Expected, assert_named
from .injecting import Inject, Injecting

UNWRITABLE = Path("/proc/millwright")
"""Nobody can make it, not even root."""


def folder_is_a_file(on: Injecting) -> Check:
    return data_folder.check_folder(on.file("data", ""))


def folder_cannot_be_written(_on: Injecting) -> Check:
    return data_folder.check_folder(UNWRITABLE)


def full_disk(on: Injecting) -> Check:
    on.monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=5 << 20))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] - a stand-in
    return data_folder.check_disk(on.folder)


def no_inodes(on: Injecting) -> Check:
    on.monkeypatch.setattr(os, "statvfs", lambda _path: SimpleNamespace(f_files=1000, f_favail=7))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] - a stand-in
    return data_folder.check_inodes(on.folder)


def held_by_another(on: Injecting) -> Check:
    lock = on.undoing.enter_context(on.file(LOCK, "").open("r+"))
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return data_folder.check_holder(on.folder)


def lock_cannot_be_opened(on: Injecting) -> Check:
    (on.folder / LOCK).mkdir()
    return data_folder.check_holder(on.folder)


def damaged_secrets(on: Injecting) -> Check:
    on.file("secrets.json", '{"stack": 7')
    return data_folder.check_last_start(on.folder)


def data_of_an_older_postgres(on: Injecting) -> Check:
    secrets = Secrets()
    write_private(on.folder / "secrets.json", secrets.model_dump_json())
    cluster = cluster_folder(on.folder, secrets.stack)
    if cluster.is_relative_to(on.folder):
        version = on.file("postgres/data/PG_VERSION", "12\n")
    else:  # root keeps it elsewhere
        on.undoing.callback(shutil.rmtree, cluster.parent)
        version = cluster / "data" / "PG_VERSION"
        version.parent.mkdir(parents=True)
        (cluster.parent / "owner").write_text(f"{on.folder}\n")
        version.write_text("12\n")
    return data_folder.check_last_start(on.folder)


def nobody() -> Target:
    return Target(CliSettings(), "none", {})


def spool_cannot_be_written(on: Injecting) -> Check:
    on.monkeypatch.setenv("ARTIFACTS_SPOOL", str(on.file("spool", "")))
    return spool.check_spool(nobody(), s3_answers=False)


def spooled(on: Injecting) -> None:
    on.monkeypatch.setenv("ARTIFACTS_SPOOL", str(on.folder))
    left = on.file(f"nowhere.invalid_9000-millwright/{'ab' * 32}", "left behind")
    os.utime(left, (1, 1))


def full_spool(on: Injecting) -> Check:
    spooled(on)
    on.monkeypatch.setenv("ARTIFACTS_SPOOL_LIMIT_BYTES", "10")
    return spool.check_spool(nobody(), s3_answers=False)


def blobs_left_in_the_spool(on: Injecting) -> Check:
    spooled(on)
    return spool.check_spool(nobody(), s3_answers=True)


FAULTS: dict[str, tuple[Inject, Expected]] = {
    "data folder is a file": (folder_is_a_file, Expected("is a file", "MILLWRIGHT_DATA")),
    "data folder not writable": (folder_cannot_be_written, Expected(f"{UNWRITABLE} cannot be", "MILLWRIGHT_DATA")),
    "disk full": (full_disk, Expected("wants 300 MB.*5 MB free", "make room.*MILLWRIGHT_DATA")),
    "inodes used up": (no_inodes, Expected("7 inodes", "remove small files")),
    "folder held by another": (held_by_another, Expected("another millwright holds", "fuser .*MILLWRIGHT_DATA")),
    "lock of a stranger": (lock_cannot_be_opened, Expected(f"{LOCK} cannot be opened", "run as the owner")),
    "secrets damaged": (damaged_secrets, Expected("secrets.json is damaged", "start afresh")),
    "data of another Postgres": (data_of_an_older_postgres, Expected("by Postgres 12, ours is", "dump it")),
    "spool not writable": (spool_cannot_be_written, Expected("is a file", "ARTIFACTS_SPOOL")),
    "spool full": (full_spool, Expected("is full", "bring S3 back")),
    "spool not emptied": (blobs_left_in_the_spool, Expected("blobs wait.*1, the oldest", "millwright up")),
}
FINE = (
    partial(data_folder.check_folder, Path(tempfile.gettempdir())),
    partial(data_folder.check_disk, Path(tempfile.gettempdir())),
    partial(data_folder.check_inodes, Path(tempfile.gettempdir())),
    partial(data_folder.check_holder, Path(tempfile.gettempdir())),
)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_mend(fault: str, injecting: Injecting) -> None:
    inject, expected = FAULTS[fault]
    assert_named(inject(injecting), expected)


@pytest.mark.parametrize("check", FINE)
def test_what_is_fine_is_said_to_be_with_what_there_is(check: Callable[[], Check]) -> None:
    looked = check()
    assert looked.ok, looked
    assert looked.detail


def test_what_a_killed_millwright_left_is_no_fault(tmp_path: Path) -> None:
    write_state(tmp_path, StackState(environment={}, long_running=True))
    (tmp_path / LOCK).touch()
    check = data_folder.check_holder(tmp_path)
    assert check.ok
    assert (tmp_path / STATE).exists()
    assert "ignored" in check.detail
    assert find_target(CliSettings(millwright_data=tmp_path)).origin == "none"
