"""Processes by the folder they work in, read from /proc."""

from contextlib import suppress
from pathlib import Path


def processes_below(folder: Path) -> set[int]:
    """Return the processes whose current folder is in `folder`, even if it has been removed."""
    return {pid for pid, current in _current_folders().items() if current.startswith(f"{folder}/")}


def processes_in(folder: Path) -> set[int]:
    """Return the processes whose current folder is `folder`."""
    return {pid for pid, current in _current_folders().items() if current == str(folder)}


def _current_folders() -> dict[int, str]:
    found: dict[int, str] = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or belongs to another user
            found[int(process.name)] = str((process / "cwd").readlink())
    return found
