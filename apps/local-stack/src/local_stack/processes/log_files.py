"""Log files that do not grow without limit."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

MAX_LOG_BYTES = 20_000_000
"""Size from which a log begins again; its predecessor is kept beside it."""


def previous(log: Path) -> Path:
    """Return where the predecessor of a log is kept."""
    return log.with_name(f"{log.name}.1")


def rotate(log: Path, max_bytes: int) -> None:
    """Let a log that is too large begin again.

    The process that writes it keeps its file open, so the file is copied and emptied: its next line is appended at the
    new end. A line that is written between the two is lost.
    """
    if log.exists() and log.stat().st_size > max_bytes:
        with suppress(OSError):  # on a full disk the end of the log is worth more than its beginning
            shutil.copyfile(log, previous(log))
        os.truncate(log, 0)
