"""Measuring and removing folders of children, even thousands of levels deep or without access rights."""

import os
from collections.abc import Collection
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


def measure(folder: Path, most_entries: int) -> Size:
    """Count the contents of a folder, following no link; stop beyond `most_entries`, and at a path that is too long.

    A child may be working there: entries that vanish or cannot be read meanwhile are not counted.
    """
    entries = size = 0
    waiting = [str(folder)]
    while waiting and entries <= most_entries:
        here = waiting.pop()
        if len(here) > _MAX_PATH_CHARS:
            return Size(most_entries + 1, size)
        try:
            with os.scandir(here) as listing:
                for entry in listing:
                    entries += 1
                    size += entry.stat(follow_symlinks=False).st_blocks * _BLOCK_BYTES
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    if entries > most_entries:
                        break
        except OSError:
            continue
    return Size(entries, size)


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
