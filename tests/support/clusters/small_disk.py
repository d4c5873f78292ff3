"""A small file system of a test's own, in memory, which can be filled and unmounted. Only root can mount one."""

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

FILLER = "filler"


def can_mount(folder: Path) -> bool:
    """Return whether this process may mount a file system in memory."""
    if os.geteuid() != 0 or not _mount(folder, 1):
        return False
    unmount(folder)
    return True


@contextmanager
def small_disk(folder: Path, size_mb: int) -> Generator[Path]:
    """Mount a file system in memory at a new folder, or skip the test."""
    folder.mkdir(parents=True)
    if not can_mount(folder):
        pytest.skip("mounting a file system needs root")
    assert _mount(folder, size_mb)
    try:
        yield folder
    finally:
        unmount(folder)


def unmount(folder: Path) -> None:
    """Unmount it, if it is mounted; what is in memory alone is lost."""
    subprocess.run(["umount", "--lazy", str(folder)], capture_output=True, check=False)


def fill(folder: Path, leave_bytes: int = 0) -> None:
    """Write a file until only so much is free."""
    with (folder / FILLER).open("ab") as file:
        while (free := _free(folder)) > leave_bytes:
            try:
                file.write(b"\0" * min(1 << 20, max(4096, free - leave_bytes)))
                file.flush()
            except OSError:
                return


def free_again(folder: Path) -> None:
    """Remove that file."""
    (folder / FILLER).unlink()


def _free(folder: Path) -> int:
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def _mount(folder: Path, size_mb: int) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m,mode=755", "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
