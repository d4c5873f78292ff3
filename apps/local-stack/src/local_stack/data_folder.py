"""The data folder of a local stack: its lock, its disk space, and the state by which other commands join the stack."""

import fcntl
import os
import shutil
import stat
from pathlib import Path

from contracts.settings import COMMAND
from pydantic import BaseModel, ConfigDict, ValidationError

from local_stack.errors import UserError

LOCK = "servers.lock"
STATE = "stack.json"
RUN_BYTES = 300 << 20
"""What servers and one run may write: write-ahead logs, volumes, films."""


class StackState(BaseModel):
    """How other commands join the servers of a folder; stored with mode 600, since it holds passwords."""

    model_config = ConfigDict(frozen=True)

    environment: dict[str, str]
    """The variables that name the servers."""
    long_running: bool
    """Whether the stack runs until it is stopped (`up`), or ends after its own run."""
    api_url: str | None = None
    """Of its gateway, if it has one."""


def create_private(folder: Path) -> Path:
    """Create a folder that only this user can enter; one that others could enter is closed to them.

    A folder such as /tmp, which many users share, stays as it is: logs and data in it lie in folders of their own.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    status = folder.stat()
    if status.st_mode & 0o077 and status.st_uid == os.geteuid() and not status.st_mode & stat.S_ISVTX:
        folder.chmod(0o700)
    return folder


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 600, atomically."""
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def acquire_lock(folder: Path) -> int:
    """Return the descriptor of the folder's lock, which is released when it is closed or its process dies."""
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        process = read_holder(folder)
        known = "" if process is None else f" (process {process})"
        raise UserError(
            f"another millwright{known} runs its servers in {folder}: end it with `{COMMAND} down`, or choose another "
            "folder"
        ) from None
    os.ftruncate(lock, 0)
    os.write(lock, f"{os.getpid()}\n".encode())
    return lock


def read_holder(folder: Path) -> int | None:
    """Return the process that last took the lock; None if an older version did, which did not note it."""
    try:
        return int((folder / LOCK).read_text())
    except (FileNotFoundError, ValueError):
        return None


def is_locked(folder: Path) -> bool:
    """Return whether a living process runs servers in this folder."""
    try:
        lock = os.open(folder / LOCK, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def write_state(folder: Path, state: StackState) -> None:
    """Announce that the stack is ready."""
    write_private(folder / STATE, state.model_dump_json())


def remove_state(folder: Path) -> None:
    """Withdraw the announcement."""
    (folder / STATE).unlink(missing_ok=True)


def read_state(folder: Path) -> StackState | None:
    """Return the state of the stack in this folder; None unless one runs there and is ready."""
    if not is_locked(folder):
        return None
    try:
        return StackState.model_validate_json((folder / STATE).read_text())
    except (FileNotFoundError, ValidationError):
        return None


def require_disk_space(*folders: Path) -> None:
    """Raise `UserError` unless each folder, which need not exist yet, can be created and has space for a run."""
    for folder in folders:
        existing = existing_ancestor(folder)
        if not existing.is_dir() or not os.access(existing, os.W_OK):
            raise UserError(f"{folder} cannot be created: {existing} is not a folder that you may write to")
        free = shutil.disk_usage(existing).free
        if free < RUN_BYTES:
            raise UserError(
                f"only {free >> 20} MB are free at {existing}, but a run needs {RUN_BYTES >> 20} MB: "
                "free some space, or set MILLWRIGHT_DATA to another disk"
            )


def existing_ancestor(path: Path) -> Path:
    """Return the path itself, or its nearest parent that exists."""
    absolute = path.absolute()
    return next(each for each in (absolute, *absolute.parents) if each.exists())
