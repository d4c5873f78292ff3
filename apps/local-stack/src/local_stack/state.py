"""How one `millwright` finds another that runs the servers of the same folder."""

import fcntl
import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from local_stack.servers.secrets import write_private

LOCK = "servers.lock"
STATE = "stack.json"


class StackState(BaseModel):
    """What the one that runs the servers says to others; a file of mode 600, for it holds passwords."""

    model_config = ConfigDict(frozen=True)

    environment: dict[str, str]
    """The variables by which to join."""
    long_running: bool
    """Whether it stays until it is told to go (`up`), or leaves after its own run."""


def write_state(folder: Path, state: StackState) -> None:
    """Say that everything stands."""
    write_private(folder / STATE, state.model_dump_json())


def forget_state(folder: Path) -> None:
    """Take it back."""
    (folder / STATE).unlink(missing_ok=True)


def is_held(folder: Path) -> bool:
    """Tell whether a living process runs servers in this folder. The lock dies with its holder, a file would not."""
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


def read_state(folder: Path) -> StackState | None:
    """Return what the holder says; None when nobody holds the folder or it is not ready yet."""
    if not is_held(folder):
        return None
    try:
        return StackState.model_validate_json((folder / STATE).read_text())
    except (FileNotFoundError, ValidationError):
        return None
