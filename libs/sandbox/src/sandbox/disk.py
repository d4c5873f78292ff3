"""Measuring and removing folders of children, even thousands of levels deep or without access rights."""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

_BLOCK_BYTES = 512
"""The unit of `st_blocks`."""
_MAX_PATH_CHARS = 3000
"""Folders with longer paths cannot be listed."""


@dataclass(frozen=True)
class Size:
    """Contents of a folder."""

    entries: int
    bytes: int
    """On disk, whatever size the files claim."""
    is_hidden: bool = False
    """There is a folder that this process may not list."""


def free_disk_mib(folder: Path) -> float:
    """Return how many MiB unprivileged programs can still write to the file system of a folder."""
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize / (1 << 20)


def measure(folder: Path, most_entries: int) -> Size:
    """Count the contents of a folder, following no link.

    It stops beyond `most_entries`, at a path that is too long, and at a folder that hides its contents. A child may be
    working there: entries that vanish meanwhile are not counted.
    """
    entries = size = 0
    waiting = [str(folder)]
    while waiting and entries <= most_entries:
        here = waiting.pop()
        if len(here) > _MAX_PATH_CHARS:
            return Size(most_entries + 1, size)
        try:
            for entry, held in _contents(here):
                entries += 1
                size += held
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                if entries > most_entries:
                    break
        except PermissionError:
            return Size(entries, size, is_hidden=True)
    return Size(entries, size)


def _contents(folder: str) -> Iterator[tuple[os.DirEntry[str], int]]:
    """Yield what is in a folder, with its bytes on disk, as long as it is there."""
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as listing:
        for entry in listing:
            with suppress(FileNotFoundError):
                yield entry, entry.stat(follow_symlinks=False).st_blocks * _BLOCK_BYTES


def erase(folder: Path) -> None:
    """Remove a folder in which no process works any more. No link is followed.

    Subfolders are moved to the top before they are emptied, so that neither recursion nor long paths end the removal.
    """
    folder.chmod(0o700)
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        with os.scandir(here) as listing:
            entries = list(listing)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                moved = folder / uuid4().hex
                Path(entry.path).chmod(0o700)
                Path(entry.path).rename(moved)
                waiting.append(moved)
            else:
                Path(entry.path).unlink()
        if here != folder:
            here.rmdir()
    folder.rmdir()


def erase_except(folder: Path, kept: Collection[str]) -> None:
    """Remove everything in a folder except these relative paths; no process may work in it any more."""
    with os.scandir(folder) as listing:
        entries = list(listing)
    for entry in entries:
        below = {path.partition("/")[2] for path in kept if path.partition("/")[0] == entry.name}
        if entry.is_dir(follow_symlinks=False):
            if not below:
                erase(Path(entry.path))
            elif "" not in below:
                erase_except(Path(entry.path), below)
        elif "" not in below:
            Path(entry.path).unlink()
