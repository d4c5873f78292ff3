"""Checks of the data folder: access, space, lock, and files of the last start."""

import os
import shutil
from pathlib import Path

from contracts.settings import COMMAND
from local_stack.data_folder import LOCK, RUN_BYTES, STATE, existing_ancestor, is_locked, read_state
from local_stack.errors import UserError
from local_stack.servers.binaries import postgres_installation
from local_stack.servers.postgres_home import cluster_folder
from local_stack.servers.secrets import SECRETS, read_secrets
from local_stack.servers.stack_records import leftovers, require_identity, state_of

from doctor.check import Check, failed, passed

MIN_FREE_INODES = 20_000
SHOWN = 1
ELSEWHERE = "or set MILLWRIGHT_DATA to another folder"


def check_folder(folder: Path) -> Check:
    """Check that the folder can be created and written to."""
    existing = existing_ancestor(folder)
    if not existing.is_dir():
        return failed("place", "data folder", f"{existing} is a file", f"move it away, {ELSEWHERE}", str(folder))
    if not os.access(existing, os.W_OK | os.X_OK):
        fix = f"`chown {os.geteuid()} {existing}` as its owner, {ELSEWHERE}"
        return failed("place", "data folder", f"{folder} cannot be written", fix, f"by user {os.geteuid()}")
    try:
        _write_and_remove(existing)
    except OSError as error:
        fix = f"mount it for writing, free some space, {ELSEWHERE}"
        return failed("place", "data folder", f"{folder} cannot be written", fix, str(error.strerror))
    return passed("place", "data folder", str(folder))


def check_disk(folder: Path) -> Check:
    """Check that a run has enough disk space, also where root's database is."""
    places = {existing_ancestor(folder), existing_ancestor(cluster_folder(folder, ""))}
    free_bytes, existing = min((shutil.disk_usage(each).free, each) for each in places)
    free_mb = free_bytes >> 20
    if free_mb >= RUN_BYTES >> 20:
        return passed("place", "disk", f"{free_mb / 1024:.1f} GB free")
    what = f"a run needs {RUN_BYTES >> 20} MB at {existing}"
    return failed("place", "disk", what, f"free some space, {ELSEWHERE}", f"{free_mb} MB free")


def check_inodes(folder: Path) -> Check:
    """Check that the disk can hold more files, whatever their size."""
    stat = os.statvfs(existing_ancestor(folder))
    if stat.f_files == 0 or stat.f_favail > MIN_FREE_INODES:  # 0: a file system that does not count them
        return passed("place", "inodes", f"{stat.f_favail} free" if stat.f_files else "not limited")
    fix = f"remove small files from that disk, {ELSEWHERE}"
    return failed("place", "inodes", "the disk has almost no free inodes", fix, f"{stat.f_favail} inodes free")


def check_holder(folder: Path) -> Check:
    """Check that a millwright that holds the folder's lock is ready."""
    try:
        locked = is_locked(folder)
    except OSError as error:
        fix = f"run as the owner of {folder / LOCK}, {ELSEWHERE}"
        return failed("place", "holder", f"{folder / LOCK} cannot be opened", fix, str(error.strerror))
    if not locked:
        is_stale = (folder / STATE).exists()
        return passed("place", "holder", "none; the state that a killed one left is ignored" if is_stale else "none")
    state = read_state(folder)
    if state is None:
        fix = f"wait if it has just started, else end it (`fuser {folder / LOCK}` shows its process), {ELSEWHERE}"
        return failed("place", "holder", f"another millwright holds {folder} and is not ready", fix)
    return passed("place", "holder", "a millwright that is up" if state.long_running else "a millwright with one run")


def check_last_start(folder: Path) -> Check:
    """Check that stored passwords can be read, and that the installed Postgres can use the stored cluster."""
    name = "last start"
    file = folder / SECRETS
    try:
        require_identity(folder.resolve())
        if not file.exists():
            return passed("place", name, "none in this folder")
        stack = read_secrets(file)
    except UserError as error:
        return failed(
            "place", name, "the data is not as the last start left it", "do what the message names", str(error)
        )
    except OSError as error:
        return failed("place", name, f"{file} cannot be read", f"run as its owner, {ELSEWHERE}", str(error.strerror))
    cluster = cluster_folder(folder, stack.stack)
    if stack.has_database and not (cluster / "data").is_dir():
        fix = f"bring it back; if it is lost, `{COMMAND} stack recover` begins an empty one, then restore a backup"
        return failed("place", name, "the database of this folder is missing", fix, str(cluster))
    return _check_cluster(cluster / "data" / "PG_VERSION", name)


def check_leftovers() -> Check:
    """List databases whose data folder is not where it was: they are kept until someone removes them."""
    found = leftovers()
    if not found:
        return passed("place", "left over", "none")
    shown = ", ".join(f"{each.stack} of {each.folder}, {state_of(each)}" for each in found[:SHOWN])
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return passed("place", "left over", f"`{COMMAND} stack list`, `stack remove`: {shown}{more}")


def _check_cluster(file: Path, name: str) -> Check:
    try:
        stored = file.read_text().strip()
        installed = postgres_installation().name.removeprefix("pginstall")
    except (OSError, UserError):  # no cluster yet; a missing program is reported by its own check
        return passed("place", name, "passwords and ports are stored")
    if not installed or stored == installed:
        return passed("place", name, f"a cluster of Postgres {stored}")
    what = f"the data was written by Postgres {stored}, installed is {installed}"
    fix = f"dump it with Postgres {stored}, or remove the data folder to start from scratch, {ELSEWHERE}"
    return failed("place", name, what, fix, str(file))


def _write_and_remove(folder: Path) -> None:
    file = folder / f".doctor-{os.getpid()}"
    file.write_bytes(b"0" * 4096)
    file.unlink()
