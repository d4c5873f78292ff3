"""The folder in which a worker keeps what it lays out for others, and what killed workers left of theirs."""

import fcntl
import os
import tempfile
from pathlib import Path

from sandbox.disk import erase

KERNELS = "millwright-kernels-"


class ScratchRoot:
    """A new folder, locked for as long as we live: a folder that can be locked belongs to nobody any more."""

    def __init__(self, beneath: Path | None = None, prefix: str = KERNELS) -> None:
        above = beneath or Path(tempfile.gettempdir())
        above.mkdir(parents=True, exist_ok=True)
        for leftover in above.glob(f"{prefix}*"):
            _erase_if_left(leftover)
        self.folder, self._lock = _new_locked(above, prefix)

    def leave(self) -> None:
        """Remove the folder."""
        erase(self.folder)
        os.close(self._lock)


def _new_locked(above: Path, prefix: str) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=above)).resolve()
        lock = _locked(folder)
        if lock is not None and folder.exists():
            folder.chmod(0o711)  # every workspace in it may have a user of its own, who must get through
            return folder, lock
        if lock is not None:  # another worker took it for a leftover before we could lock it
            os.close(lock)


def _locked(folder: Path) -> int | None:
    """Return a descriptor that holds the folder's lock; None if that is another's, or the folder is."""
    try:
        descriptor = os.open(folder, os.O_DIRECTORY | os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _erase_if_left(folder: Path) -> None:
    lock = _locked(folder)
    if lock is None:
        return
    try:
        if os.fstat(lock).st_uid == os.geteuid():
            erase(folder)
    finally:
        os.close(lock)
