"""Removing what a kernel has left, whatever it was: folders thousands deep, folders that nobody may enter."""

import os
from pathlib import Path
from uuid import uuid4


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
