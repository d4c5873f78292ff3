"""Measuring and removing what a kernel has left, whatever it was: folders thousands deep, folders nobody may enter."""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

_BLOCK_BYTES = 512
"""What `st_blocks` counts."""
_DEEP_CHARS = 3000
"""Longer paths cannot be listed, so nobody could say what lies there."""


@dataclass(frozen=True)
class Size:
    """How much lies in a folder."""

    entries: int
    bytes: int
    """On disk, not what the files pretend."""


def measure(folder: Path, most_entries: int) -> Size:
    """Count what lies in a folder, following no link; stop counting beyond `most_entries`, as if it lay very deep.

    A kernel may be at work there: what vanishes or cannot be entered meanwhile is not counted.
    """
    entries = size = 0
    waiting = [str(folder)]
    while waiting and entries <= most_entries:
        here = waiting.pop()
        if len(here) > _DEEP_CHARS:
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
    """Remove a folder and all in it; nobody may be at work there. No link is followed.

    Folders are lifted to the top before they are emptied, so that neither the stack nor the length of a path ends it.
    """
    folder.chmod(0o700)
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        with os.scandir(here) as listing:
            entries = list(listing)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                lifted = folder / uuid4().hex
                Path(entry.path).chmod(0o700)
                Path(entry.path).rename(lifted)
                waiting.append(lifted)
            else:
                Path(entry.path).unlink()
        if here != folder:
            here.rmdir()
    folder.rmdir()


def erase_all_but(folder: Path, kept: Collection[str]) -> None:
    """Remove from a folder what is not on the way to a kept path, given relative to it; nobody may be at work there."""
    with os.scandir(folder) as listing:
        entries = list(listing)
    for entry in entries:
        below = {path.partition("/")[2] for path in kept if path.partition("/")[0] == entry.name}
        if entry.is_dir(follow_symlinks=False):
            if not below:
                erase(Path(entry.path))
            elif "" not in below:
                erase_all_but(Path(entry.path), below)
        elif "" not in below:
            Path(entry.path).unlink()
