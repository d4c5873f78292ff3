"""Checks of the data folder and of the spool, with faults injected one by one."""

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
from local_stack.data_folder import LOCK, STATE, StackState, write_private, write_state
from local_stack.servers.postgres_home import cluster_folder
from local_stack.servers.secrets import Secrets
from local_stack.settings import CliSettings

from tests.doctor.failure_golden import assert_failure
from tests.doctor.local_machine import Inject, LocalMachine

UNWRITABLE = Path("/proc/millwright")
"""Cannot be created, not even by root."""
NO_SERVERS = Target(CliSettings(), "none", {})


def file_for_folder(on: LocalMachine) -> Check:
    return data_folder.check_folder(on.write("data", ""))


def full_disk(on: LocalMachine) -> Check:
    on.monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=5 << 20))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] - a stand-in
    return data_folder.check_disk(on.folder)


def no_inodes(on: LocalMachine) -> Check:
    on.monkeypatch.setattr(os, "statvfs", lambda _path: SimpleNamespace(f_files=1000, f_favail=7))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] - a stand-in
    return data_folder.check_inodes(on.folder)


def locked_folder(on: LocalMachine) -> Check:
    lock = on.cleanup.enter_context(on.write(LOCK, "").open("r+"))
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return data_folder.check_holder(on.folder)


def unreadable_lock(on: LocalMachine) -> Check:
    (on.folder / LOCK).mkdir()
    return data_folder.check_holder(on.folder)


def damaged_secrets(on: LocalMachine) -> Check:
    on.write("secrets.json", '{"stack": 7')
    return data_folder.check_last_start(on.folder)


def data_of_another_postgres(on: LocalMachine) -> Check:
    secrets = Secrets()
    write_private(on.folder / "secrets.json", secrets.model_dump_json())
    cluster = cluster_folder(on.folder, secrets.stack)
    if cluster.is_relative_to(on.folder):
        on.write("postgres/data/PG_VERSION", "12\n")
    else:  # for root it is elsewhere
        on.cleanup.callback(shutil.rmtree, cluster.parent)
        version = cluster / "data" / "PG_VERSION"
        version.parent.mkdir(parents=True)
        (cluster.parent / "owner").write_text(f"{on.folder}\n")
        version.write_text("12\n")
    return data_folder.check_last_start(on.folder)


def unwritable_spool(on: LocalMachine) -> Check:
    on.monkeypatch.setenv("ARTIFACTS_SPOOL", str(on.write("spool", "")))
    return spool.check_spool(NO_SERVERS, s3_answers=False)


def _spool_an_artifact(on: LocalMachine) -> None:
    on.monkeypatch.setenv("ARTIFACTS_SPOOL", str(on.folder))
    artifact = on.write(f"nowhere.invalid_9000-millwright/{'ab' * 32}", "left behind")
    os.utime(artifact, (1, 1))


def full_spool(on: LocalMachine) -> Check:
    _spool_an_artifact(on)
    on.monkeypatch.setenv("ARTIFACTS_SPOOL_LIMIT_BYTES", "10")
    return spool.check_spool(NO_SERVERS, s3_answers=False)


def forgotten_artifact(on: LocalMachine) -> Check:
    _spool_an_artifact(on)
    return spool.check_spool(NO_SERVERS, s3_answers=True)


FAULTS: dict[str, tuple[Inject, str, str]] = {
    "file for the data folder": (file_for_folder, "data folder", "/data "),
    "full disk": (full_disk, "disk", "300 MB.*5 MB free"),
    "no inodes": (no_inodes, "inodes", "7 inodes"),
    "locked data folder": (locked_folder, "holder", "another millwright"),
    "unreadable lock": (unreadable_lock, "holder", LOCK),
    "damaged secrets": (damaged_secrets, "last start", "secrets.json"),
    "data of another Postgres": (data_of_another_postgres, "last start", "Postgres 12,"),
    "unwritable spool": (unwritable_spool, "spool", "is a file"),
    "full spool": (full_spool, "spool", "0 MB of 0 MB"),
    "forgotten artifact": (forgotten_artifact, "spool", r"1, the oldest for \d+ s"),
}
"""By name: how to inject it, the check that fails, and what it measures."""
PASSING = (
    partial(data_folder.check_folder, Path(tempfile.gettempdir())),
    partial(data_folder.check_disk, Path(tempfile.gettempdir())),
    partial(data_folder.check_inodes, Path(tempfile.gettempdir())),
    partial(data_folder.check_holder, Path(tempfile.gettempdir())),
)


@pytest.mark.parametrize("fault", FAULTS)
def test_data_folder_fault_is_reported(fault: str, machine: LocalMachine) -> None:
    inject, name, measured = FAULTS[fault]
    assert_failure(fault, inject(machine), name, measured)


def test_unwritable_data_folder_is_reported() -> None:
    """The fix depends on who runs the test."""
    (failure,) = data_folder.check_folder(UNWRITABLE).failures
    assert str(UNWRITABLE) in failure.what
    assert "MILLWRIGHT_DATA" in failure.fix


@pytest.mark.parametrize("check", PASSING)
def test_healthy_data_folder_passes_with_details(check: Callable[[], Check]) -> None:
    result = check()
    assert result.ok, result
    assert result.detail


def test_state_of_a_killed_millwright_is_ignored(tmp_path: Path) -> None:
    write_state(tmp_path, StackState(environment={}, long_running=True))
    (tmp_path / LOCK).touch()
    check = data_folder.check_holder(tmp_path)
    assert check.ok
    assert (tmp_path / STATE).exists()
    assert "ignored" in check.detail
    assert find_target(CliSettings(millwright_data=tmp_path)).origin == "none"
