"""A file system that loses in a power cut what was not synced: ext4 on a loop device. Needs root.

At a cut ext4 itself shuts down without writing its journal or any dirty page (`FS_IOC_SHUTDOWN`, by which xfstests
tries its recovery, too). Then it is mounted again and recovers from what is on its device. It must be mounted
in a mount namespace of its own (`unshare --mount`): another process that starts a sandbox meanwhile would copy the
mount, and keep it.
"""

import fcntl
import os
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

SIZE_BYTES = 2 * 1024**3
"""Of a sparse file."""
FS_IOC_SHUTDOWN = 0x8004587D
WITHOUT_JOURNAL = 2
COMMIT_S = 600
"""ext4 would otherwise commit its journal every 5 s: then fewer writes were lost, and the trial was milder."""
UNMOUNT_TRIES = 100


class VolatileDisk:
    """A context manager: mounted at `folder` inside the block."""

    def __init__(self, home: Path) -> None:
        """`home` is an existing folder for the device's file and the mount point."""
        self._device = home / "device"
        self.folder = home / "disk"

    def __enter__(self) -> Self:
        """Create the file system and mount it."""
        with self._device.open("wb") as device:
            device.truncate(SIZE_BYTES)
        _run("mkfs.ext4", "-q", "-F", str(self._device))
        self.folder.mkdir()
        self._mount()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Unmount and delete it."""
        self._unmount()
        self._device.unlink()

    def sync(self) -> None:
        """Write everything to the device."""
        self._with_folder(os.fsync)
        os.sync()

    def lose_unsynced(self) -> None:
        """Drop everything that is not on the device, and mount what is. All processes on it have been killed."""
        shutdown = struct.pack("I", WITHOUT_JOURNAL)
        self._with_folder(lambda descriptor: fcntl.ioctl(descriptor, FS_IOC_SHUTDOWN, shutdown))
        self._unmount()
        self._mount()

    def _with_folder(self, call: Callable[[int], object]) -> None:
        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            call(descriptor)
        finally:
            os.close(descriptor)

    def _mount(self) -> None:
        _run("mount", "-o", f"loop,commit={COMMIT_S}", str(self._device), str(self.folder))
        self.folder.chmod(0o755)  # Postgres has an account of its own

    def _unmount(self) -> None:
        """Unmount it once the last killed process has let go of it."""
        for _ in range(UNMOUNT_TRIES):
            if subprocess.run(["umount", str(self.folder)], capture_output=True, check=False).returncode == 0:
                return
            time.sleep(0.05)
        _run("umount", str(self.folder))


def is_possible() -> bool:
    """Return whether this user may mount loop devices here."""
    return os.geteuid() == 0 and Path("/dev/loop-control").exists()


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
