"""The database of a stack survives moved, copied, unmounted and damaged data folders; only a command removes it."""

import os
import shutil
from pathlib import Path

import psycopg
import pytest
from local_stack.errors import UserError
from local_stack.servers import postgres_home, stack_records
from local_stack.servers.recovery import recover
from local_stack.servers.secrets import SECRETS, read_secrets
from local_stack.servers.server_stack import ServerStack
from local_stack.servers.stack_records import leftovers, remove, require_identity, state_of

from tests.support.clusters.small_disk import small_disk, unmount

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root's databases are outside of the data folder")


def store_row(folder: Path) -> str:
    """Store a row in the database of a folder, and return the name of its stack."""
    servers = ServerStack(folder, only=("postgres",)).start()
    try:
        with psycopg.connect(servers.database_url) as connection:
            connection.execute("CREATE TABLE stored AS SELECT 7 AS n")
    finally:
        servers.stop()
    return read_secrets(folder / SECRETS).stack


def rows_of(folder: Path) -> list[int]:
    servers = ServerStack(folder, only=("postgres",)).start()
    try:
        with psycopg.connect(servers.database_url) as connection:
            return [row[0] for row in connection.execute("SELECT n FROM stored")]
    finally:
        servers.stop()


def start_other(folder: Path) -> None:
    ServerStack(folder, only=("postgres",)).start().stop()


def test_moved_folder_keeps_its_database_while_others_start(recorded: Path) -> None:
    store_row(recorded / "before")
    (recorded / "before").rename(recorded / "after")
    start_other(recorded / "other")
    assert rows_of(recorded / "after") == [7]
    assert not [each for each in leftovers() if each.folder.is_relative_to(recorded)]


def test_folder_on_an_unmounted_disk_is_not_replaced(recorded: Path) -> None:
    with small_disk(recorded / "disk", 200) as disk:
        stack = store_row(disk / "data")
        shutil.copytree(disk / "data", recorded / "kept")
        unmount(disk)
        start_other(recorded / "other")
        with pytest.raises(UserError, match=f"disk of {disk} .*stack remove {stack}"):
            ServerStack(disk / "data").start()
        assert not (disk / "data").exists()
    (recorded / "disk").rmdir()
    with small_disk(recorded / "disk", 200) as disk:
        shutil.copytree(recorded / "kept", disk / "data", copy_function=shutil.copy2)
        if os.geteuid() == 0:
            assert rows_of(disk / "data") == [7]


def test_folder_of_a_known_stack_under_another_mount_is_refused(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the test above, for users who may not mount anything."""
    mounts = {"now": recorded}
    monkeypatch.setattr(stack_records, "registry", lambda: recorded / "registry")

    def mount_of(folder: Path) -> Path:
        return Path("/") if folder == recorded / "registry" else mounts["now"]

    monkeypatch.setattr(stack_records, "mount_of", mount_of)
    stack_records.record_stack(recorded / "data", "one")
    require_identity(recorded / "data")  # removed by the user: its disk is there
    mounts["now"] = Path("/")
    with pytest.raises(UserError, match="Mount it"):
        require_identity(recorded / "data")
    assert remove("one").folder == recorded / "data"
    require_identity(recorded / "data")


@as_root
def test_leftover_database_is_listed_and_removed_only_by_name(recorded: Path) -> None:
    stack = store_row(recorded / "data")
    with pytest.raises(UserError, match="in use"):
        remove(stack)
    shutil.rmtree(recorded / "data")
    start_other(recorded / "data")  # removed on purpose: begins from scratch
    found = {each.stack: each for each in leftovers()}
    assert state_of(found[stack]) == "its folder is gone"
    assert postgres_home.cluster_folder(recorded / "data", stack).is_dir()
    remove(stack)
    assert not postgres_home.cluster_folder(recorded / "data", stack).exists()


@as_root
def test_copy_of_a_folder_may_not_share_its_database(recorded: Path) -> None:
    store_row(recorded / "data")
    shutil.copytree(recorded / "data", recorded / "copy")
    with pytest.raises(UserError, match="copy of"):
        ServerStack(recorded / "copy").start()
    assert rows_of(recorded / "data") == [7]


@pytest.mark.sample(1)
@pytest.mark.parametrize("damage", ["removed", "emptied", "flipped"])
def test_lost_passwords_are_made_again_by_a_command_and_the_data_is_kept(recorded: Path, damage: str) -> None:
    folder = recorded / "data"
    store_row(folder)
    secrets = folder / SECRETS
    if damage == "removed":
        secrets.unlink()
    else:
        secrets.write_bytes(b"" if damage == "emptied" else b"\xff" + secrets.read_bytes()[1:])
    with pytest.raises(UserError, match="stack recover"):
        ServerStack(folder).start()
    assert recover(folder) == ["the passwords were lost: new ones are made"]
    assert rows_of(folder) == [7]
    assert recover(folder) == []


def test_lost_database_is_named_and_begins_empty_by_a_command_only(recorded: Path) -> None:
    folder = recorded / "data"
    stack = store_row(folder)
    shutil.rmtree(postgres_home.cluster_folder(folder, stack))
    with pytest.raises(UserError, match=r"database of .* is missing.*stack recover"):
        ServerStack(folder).start()
    (lost,) = recover(folder)
    assert "is lost" in lost
    start_other(folder)


def test_record_of_an_older_version_is_read(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack_records, "registry", lambda: recorded)
    (recorded / "one").mkdir()
    (recorded / "one" / "owner").write_text("/somewhere/else\n")
    (record,) = leftovers()
    assert (record.folder, state_of(record)) == (Path("/somewhere/else"), "not mounted")
