"""Room on the disk, asked for before anything begins."""

import os
import shutil
from pathlib import Path

from local_stack.errors import UserError

RUN_BYTES = 300 << 20
"""What servers and a run may write: write-ahead logs, volumes, films."""


def require_disk_space(*folders: Path) -> None:
    """Raise `CannotGoOnError` unless there is room beneath each folder, which need not exist yet."""
    for folder in folders:
        existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
        if not existing.is_dir() or not os.access(existing, os.W_OK):
            raise UserError(f"{folder} cannot be made: {existing} is not a folder that you may write to")
        free = shutil.disk_usage(existing).free
        if free < RUN_BYTES:
            raise UserError(
                f"only {free >> 20} MB are free at {existing}, a run wants {RUN_BYTES >> 20} MB: "
                "make room, or set MILLWRIGHT_DATA to another disk"
            )
