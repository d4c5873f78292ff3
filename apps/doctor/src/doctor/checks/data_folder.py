"""The data folder: room, rights, who holds it, and what a run before left in it."""

import os
import shutil
from pathlib import Path

from local_stack.disk_space import RUN_BYTES
from local_stack.errors import UserError
from local_stack.servers.binaries import postgres_home
from local_stack.servers.postgres_home import cluster_folder
from local_stack.servers.secrets import read_secrets
from local_stack.state import LOCK, STATE, is_held, read_state

from doctor.check import Check, failed, passed

ELSEWHERE = "or set MILLWRIGHT_DATA to another folder"


def check_folder(folder: Path) -> Check:
    """We may write there."""
    existing = _existing(folder)
    if not existing.is_dir():
        return failed("place", "data folder", f"{existing} is a file", f"move it away, {ELSEWHERE}", str(folder))
    if not os.access(existing, os.W_OK | os.X_OK):
        mend = f"`chown {os.geteuid()} {existing}` as its owner, {ELSEWHERE}"
        return failed("place", "data folder", f"{folder} cannot be written", mend, f"by user {os.geteuid()}")
    try:
        _write_once(existing)
    except OSError as error:
        mend = f"mount it for writing, make room, {ELSEWHERE}"
        return failed("place", "data folder", f"{folder} cannot be written", mend, str(error.strerror))
    return passed("place", "data folder", str(folder))


def check_disk(folder: Path) -> Check:
    """There is room for a run."""
    existing = _existing(folder)
    free_mb = shutil.disk_usage(existing).free >> 20
    if free_mb >= RUN_BYTES >> 20:
        return passed("place", "disk", f"{free_mb / 1024:.1f} GB free")
    what = f"a run wants {RUN_BYTES >> 20} MB at {existing}"
    return failed("place", "disk", what, f"make room, {ELSEWHERE}", f"{free_mb} MB free")


def check_inodes(folder: Path) -> Check:
    """There is room for more files, whatever their size."""
    stat = os.statvfs(_existing(folder))
    if stat.f_files == 0 or stat.f_favail > 20_000:  # 0: a file system that does not count
        return passed("place", "inodes", f"{stat.f_favail} free" if stat.f_files else "not limited")
    mend = f"remove small files from that disk, {ELSEWHERE}"
    return failed("place", "inodes", "the disk can hold hardly any more files", mend, f"{stat.f_favail} inodes free")


def check_holder(folder: Path) -> Check:
    """Who runs servers there."""
    try:
        held = is_held(folder)
    except OSError as error:
        mend = f"run as the owner of {folder / LOCK}, {ELSEWHERE}"
        return failed("place", "holder", f"{folder / LOCK} cannot be opened", mend, str(error.strerror))
    if not held:
        left = (folder / STATE).exists()
        return passed("place", "holder", "nobody; a killed one left its word, which is ignored" if left else "nobody")
    state = read_state(folder)
    if state is None:
        mend = f"wait if it has just begun, end it if not (`fuser {folder / LOCK}` tells its process), {ELSEWHERE}"
        return failed("place", "holder", f"another millwright holds {folder} and is not ready", mend)
    return passed("place", "holder", "a millwright that is up" if state.long_running else "a millwright with one run")


def check_last_start(folder: Path) -> Check:
    """Passwords and cluster fit what is installed now."""
    secrets = folder / "secrets.json"
    name = "last start"
    if not secrets.exists():
        return passed("place", name, "none in this folder")
    try:
        stack = read_secrets(secrets).stack
    except UserError as error:
        mend = f"remove {folder} to start afresh (its runs are lost), or restore the file"
        return failed("place", name, f"{secrets} is damaged", mend, str(error))
    except OSError as error:
        return failed("place", name, f"{secrets} cannot be read", f"run as its owner, {ELSEWHERE}", str(error.strerror))
    return _check_cluster(cluster_folder(folder, stack) / "data" / "PG_VERSION", name)


def _check_cluster(file: Path, name: str) -> Check:
    try:
        made_by = file.read_text().strip()
        ours = postgres_home().name.removeprefix("pginstall")
    except (OSError, UserError):  # no cluster yet; a missing program is told by its own check
        return passed("place", name, "passwords and ports are remembered")
    if not ours or made_by == ours:
        return passed("place", name, f"a cluster of Postgres {made_by}")
    mend = f"dump it with Postgres {made_by}, or remove the data folder to start afresh, {ELSEWHERE}"
    return failed("place", name, f"the data was written by Postgres {made_by}, ours is {ours}", mend, str(file))


def _existing(folder: Path) -> Path:
    return next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())


def _write_once(folder: Path) -> None:
    trial = folder / f".doctor-{os.getpid()}"
    trial.write_bytes(b"0" * 4096)
    trial.unlink()
