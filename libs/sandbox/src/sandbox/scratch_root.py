"""Scratch root: the locked temporary folder of one host, which holds the workspaces of its children.

A host that is killed leaves its root behind, unlocked; the next host beside it removes what it can lock.
"""

import errno
import fcntl
import os
import tempfile
import time
from pathlib import Path
from uuid import uuid4

from sandbox.disk import erase

PREFIX = "millwright-kernels-"
"""No other folder for temporary files begins like this: a root that is not locked is removed."""
_REMOVE_TRIES, _REMOVE_PAUSE_S = 50, 0.1


class ScratchRoot:
    """A new folder, locked while this process lives."""

    def __init__(self, parent: Path | None = None) -> None:
        """Create the root in `parent`, or in the folder for temporary files, and remove abandoned ones there."""
        parent = parent or Path(tempfile.gettempdir())
        parent.mkdir(parents=True, exist_ok=True)
        for abandoned in parent.glob(f"{PREFIX}*"):
            _erase_if_unlocked(abandoned)
        self.folder, self._lock = _new_locked(parent)

    def new_workspace(self, user: int | None) -> "WorkspaceFolder":
        """Create a workspace."""
        return WorkspaceFolder(self.folder / uuid4().hex, user)

    def remove(self) -> None:
        """Remove the root with everything in it."""
        erase(self.folder)
        os.close(self._lock)


class WorkspaceFolder:
    """The only folder that a child can write to."""

    def __init__(self, path: Path, user: int | None = None) -> None:
        """Create the folder. The host stays its owner: a `user` of its own may add files, but neither remove nor rename
        the host's."""
        self.path = path
        self.user = user
        path.mkdir(mode=0o700, parents=True, exist_ok=False)
        if user is not None:
            os.chown(path, -1, user)
            path.chmod(0o1770)

    def remove(self) -> None:
        """Remove the folder; a child whose fork was cancelled may still be dying in it."""
        for _ in range(_REMOVE_TRIES):
            try:
                erase(self.path)
            except OSError as error:
                if error.errno != errno.ENOTEMPTY:
                    raise
                time.sleep(_REMOVE_PAUSE_S)
            else:
                return
        raise TimeoutError(f"{self.path} is still being written to; end the processes that work in it")


def _new_locked(parent: Path) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)).resolve()
        lock = _lock(folder)
        if lock is not None and folder.exists():
            folder.chmod(0o711)  # the users of workspaces must be able to pass through
            return folder, lock
        if lock is not None:  # another host removed it as abandoned before it was locked
            os.close(lock)


def _lock(folder: Path) -> int | None:
    """Return a descriptor that holds the folder's lock; None if another process holds it or owns the folder."""
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


def _erase_if_unlocked(folder: Path) -> None:
    lock = _lock(folder)
    if lock is None:
        return
    try:
        if os.fstat(lock).st_uid == os.geteuid():
            erase(folder)
    finally:
        os.close(lock)
