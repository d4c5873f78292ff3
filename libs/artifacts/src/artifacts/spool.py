"""The spool: a local folder of blobs that wait for upload to S3. All calls block.

Processes may share it without coordination: a file is named by the digest of its content and appears atomically, so
writing it twice is harmless, and a process removes it only after it has seen the blob in S3.
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

PARTIAL = ".torn"
"""Suffix of a file that is being written."""
PARTIAL_MAX_AGE_S = 3600.0
"""An older partial file belongs to a process that has died."""

MEASURE_EVERY_S = 0.5
MEASURE_SHARE = 10.0
"""Pause after a measurement, relative to its duration."""

_DIGEST = re.compile(r"[0-9a-f]{64}")

_log = logging.getLogger(__name__)


class Spool:
    """The blobs in one folder. Calls raise `SpoolUnusableError` for errors of the file system."""

    def __init__(self, folder: Path, server: str) -> None:
        """Each `server` has its own subfolder, since its blobs must not be sent to another server."""
        self.folder = folder / re.sub(r"[^A-Za-z0-9.-]+", "_", server)
        self._size_bytes = 0
        self._measure_again_s = 0.0

    def open(self) -> None:
        """Create the folder with private access, check that it is writable, and delete abandoned partial files."""
        with self._raising_spool_errors():
            for folder in (self.folder.parent, self.folder):
                _make_private(folder)
            probe = self._partial_path()
            _write(probe, b"probe")
            probe.unlink()
            for path, status in self._files():
                if path.suffix == PARTIAL and time.time() - status.st_mtime > PARTIAL_MAX_AGE_S:
                    path.unlink(missing_ok=True)

    def waiting(self) -> list[ArtifactRef]:
        """Return the waiting blobs; their media types are unknown here."""
        with self._raising_spool_errors():
            return [
                ArtifactRef(sha256=path.name, media_type="application/octet-stream", size_bytes=status.st_size)
                for path, status in self._files()
                if _DIGEST.fullmatch(path.name)
            ]

    def size_bytes(self) -> int:
        """Return the size of all files, including partial ones, or a little more.

        Between two measurements only what is written here is added: measuring at each put would cost the square of the
        number of files while S3 is unavailable.
        """
        started_s = time.monotonic()
        if started_s >= self._measure_again_s:
            with self._raising_spool_errors():
                self._size_bytes = sum(status.st_size for _, status in self._files())
            now_s = time.monotonic()
            self._measure_again_s = now_s + max(MEASURE_EVERY_S, MEASURE_SHARE * (now_s - started_s))
        return self._size_bytes

    def write(self, ref: ArtifactRef, data: bytes) -> None:
        """Write `data` and sync it to disk, unless the blob is in the spool already."""
        with self._raising_spool_errors():
            if self.read(ref) is not None:
                return
            partial = self._partial_path()
            try:
                _write(partial, data)
                partial.rename(self._path(ref))
            except BaseException:
                partial.unlink(missing_ok=True)
                raise
            sync_folder(self.folder)
            self._size_bytes += len(data)

    def read(self, ref: ArtifactRef) -> bytes | None:
        """Return a blob; None if it is not in the spool. A corrupt file is deleted and counts as missing."""
        with self._raising_spool_errors():
            try:
                data = self._path(ref).read_bytes()
            except FileNotFoundError:
                return None
            found = sha256(data).hexdigest()
            if found == ref.sha256:
                return data
            _log.error("%s is corrupt (its bytes have the sha256 %s) and is deleted", self._path(ref), found)
            self.remove(ref)
            return None

    def remove(self, ref: ArtifactRef) -> None:
        """Delete a blob."""
        with self._raising_spool_errors():
            self._path(ref).unlink(missing_ok=True)

    def _path(self, ref: ArtifactRef) -> Path:
        return self.folder / ref.sha256

    def _partial_path(self) -> Path:
        return self.folder / f"{uuid4().hex}{PARTIAL}"

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        for path in self.folder.iterdir():
            with suppress(FileNotFoundError):  # another process uploaded and removed it
                yield path, path.stat()

    @contextmanager
    def _raising_spool_errors(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            cause = f"{error.strerror or error} ({error.filename})" if error.filename else str(error)
            raise SpoolUnusableError(self.folder, cause) from error


def _make_private(folder: Path) -> None:
    """Create a folder accessible only to this user; in /tmp another user could have created it to read the blobs."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise PermissionError(None, "it belongs to another user", str(folder))
    folder.chmod(0o700)


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Sync a folder, which makes the names of its files durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
