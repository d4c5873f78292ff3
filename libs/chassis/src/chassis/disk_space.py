"""Free space on the disks of the servers, where these are on this machine: new runs wait before a disk is full."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chassis.errors import DiskSpaceError
from chassis.settings import BusSettings


@dataclass(frozen=True)
class DiskSpace:
    """The disks of some folders; without folders nothing is watched."""

    folders: Sequence[Path]
    reserve_bytes: int
    """Below this, no new run begins: those in work need the rest."""

    @classmethod
    def of(cls, settings: BusSettings) -> "DiskSpace":
        """Return what the settings name."""
        return cls(settings.disk_folders, settings.disk_reserve_mb << 20)

    def least(self) -> tuple[int, Path] | None:
        """Return the free bytes on the fullest disk, with the folder on it; None if none can be measured."""
        return min(((shutil.disk_usage(each).free, each) for each in self.folders if each.exists()), default=None)

    def problem(self) -> str | None:
        """Return what a user must know and do, None if there is enough space."""
        least = self.least()
        if least is None or least[0] >= self.reserve_bytes:
            return None
        return (
            f"only {least[0] >> 20} MB are free on the disk of {least[1]}: new runs wait for "
            f"{self.reserve_bytes >> 20} MB; free some space, and all work goes on by itself"
        )

    def require(self) -> None:
        """Raise `DiskSpaceError` if there is too little space to begin a run."""
        problem = self.problem()
        if problem is not None:
            raise DiskSpaceError(problem)
