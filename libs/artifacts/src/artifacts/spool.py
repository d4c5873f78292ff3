"""A folder of blobs on their way to S3, in blocking calls.

Processes may share it without knowing of each other: a file is named by what it contains and appears whole, so writing
it twice is harmless, and it is removed only by somebody who has seen its bytes in S3.
"""

import logging
import os
import re
import stat
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from contracts.models.artifact import ArtifactRef

from artifacts.port import SpoolUnusableError

TORN = ".torn"
"""Ending of a file that is being written."""
TORN_IS_LEFT_AFTER_S = 3600.0
"""Nobody writes one blob for so long: its writer has died."""

_DIGEST = re.compile(r"[0-9a-f]{64}")

_log = logging.getLogger(__name__)


class Spool:
    """The blobs that wait in one folder. Every call but `has` raises `SpoolUnusableError` if the disk refuses."""

    def __init__(self, folder: Path, server: str) -> None:
        """Name the folder of those who wait for one `server`; what waits for another is not ours to send."""
        self.folder = folder / re.sub(r"[^A-Za-z0-9.-]+", "_", server)

    def open(self) -> None:
        """Make the folder, closed to others, and see that it can be written; sweep up torn files of the dead."""
        with self._complaining():
            for folder in (self.folder.parent, self.folder):
                _make_private(folder)
            probe = self._torn()
            _write(probe, b"probe")
            probe.unlink()
            for path, status in self._files():
                if path.suffix == TORN and time.time() - status.st_mtime > TORN_IS_LEFT_AFTER_S:
                    path.unlink(missing_ok=True)

    def waiting(self) -> list[ArtifactRef]:
        """Return what waits. Its media type is known to events only; here it is just bytes."""
        with self._complaining():
            return [
                ArtifactRef(sha256=path.name, media_type="application/octet-stream", size_bytes=status.st_size)
                for path, status in self._files()
                if _DIGEST.fullmatch(path.name)
            ]

    def size_bytes(self) -> int:
        """Return how much lies here, torn files included."""
        with self._complaining():
            return sum(status.st_size for _, status in self._files())

    def has(self, ref: ArtifactRef) -> bool:
        """Tell whether a blob waits here."""
        return self._path(ref).exists()

    def write(self, ref: ArtifactRef, data: bytes) -> None:
        """Keep `data`, on the disk itself when this returns, unless it waits here already."""
        with self._complaining():
            if self.read(ref) is not None:
                return
            torn = self._torn()
            try:
                _write(torn, data)
                torn.rename(self._path(ref))
            except BaseException:
                torn.unlink(missing_ok=True)
                raise
            _sync_folder(self.folder)

    def read(self, ref: ArtifactRef) -> bytes | None:
        """Return a blob; None if it is not here. One that the disk has spoilt is thrown away and counts as not here."""
        with self._complaining():
            try:
                data = self._path(ref).read_bytes()
            except FileNotFoundError:
                return None
            found = sha256(data).hexdigest()
            if found == ref.sha256:
                return data
            _log.error("%s is corrupt (its bytes have the sha256 %s) and is thrown away", self._path(ref), found)
            self.remove(ref)
            return None

    def remove(self, ref: ArtifactRef) -> None:
        """Let a blob go."""
        with self._complaining():
            self._path(ref).unlink(missing_ok=True)

    def _path(self, ref: ArtifactRef) -> Path:
        return self.folder / ref.sha256

    def _torn(self) -> Path:
        return self.folder / f"{uuid4().hex}{TORN}"

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        for path in self.folder.iterdir():
            with suppress(FileNotFoundError):  # another process has sent it meanwhile
                yield path, path.stat()

    @contextmanager
    def _complaining(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            cause = f"{error.strerror or error} ({error.filename})" if error.filename else str(error)
            raise SpoolUnusableError(self.folder, cause) from error


def _make_private(folder: Path) -> None:
    """Make a folder that is ours alone. In a temporary folder anybody could have made it first, to read along."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise PermissionError(None, "it belongs to somebody else", str(folder))
    folder.chmod(0o700)


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """A name is on the disk when its folder is."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
