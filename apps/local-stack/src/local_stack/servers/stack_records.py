"""Records of stacks outside of their data folders: which folder a stack lies in, and under which mount.

They tell a folder whose disk is not mounted from one that is new, and name root's databases, which lie beside them.
Nothing here is removed because a path is missing: only `remove` does, when a user asks for it by name.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from contracts.settings import COMMAND
from pydantic import BaseModel, ConfigDict, ValidationError

from local_stack.data_folder import LOCK, existing_ancestor, is_locked, write_private
from local_stack.errors import UserError
from local_stack.servers.secrets import RECOVER, SECRETS, read_secrets
from local_stack.settings import registry

RECORD = "record.json"
OLDER_RECORD = "owner"
"""The path alone, as older versions write it: they remove each database whose path in it is missing."""
DATA = ("nats", "seaweedfs", "postgres")
"""What servers keep in a data folder."""


class _Place(BaseModel):
    model_config = ConfigDict(frozen=True)

    folder: Path
    mount: Path | None = None
    """Of the disk that the folder lies on; None: recorded by an older version, which did not note it."""


@dataclass(frozen=True)
class StackRecord:
    """Where a stack was when it was last started."""

    stack: str
    folder: Path
    mount: Path | None

    def has_folder(self) -> bool:
        """Return whether the folder is there, with this stack in it."""
        return _stack_in(self.folder) == self.stack

    def is_unmounted(self) -> bool:
        """Return whether the disk that the folder lay on is not mounted now."""
        return self.mount is None or mount_of(self.folder) != self.mount

    def lay_on_the_disk_of(self, folder: Path) -> bool:
        """Return whether its disk is not mounted now, and would hold this folder: the stack may have been moved."""
        return self.mount is not None and folder.is_relative_to(self.mount) and mount_of(self.mount) != self.mount

    def size_bytes(self) -> int:
        """Return the size of its database, if that lies beside the record."""
        files = (path.lstat() for path in (registry() / self.stack).rglob("*"))
        return sum(status.st_blocks * 512 for status in files)


def mount_of(folder: Path) -> Path:
    """Return the mount point of the disk on which a folder lies, or would be created."""
    path = existing_ancestor(folder)
    while not path.is_mount():
        path = path.parent
    return path


def stack_records() -> list[StackRecord]:
    """Return all records of this user."""
    found: list[StackRecord] = []
    if not _has_registry():
        return found
    for folder in sorted(registry().glob("*")):
        place = _read_place(folder)
        if place is not None:
            found.append(StackRecord(folder.name, place.folder, place.mount))
    return found


def _has_registry() -> bool:
    """Return whether this user may look there: the user of a service may have no home."""
    try:
        return os.access(existing_ancestor(registry()), os.R_OK | os.X_OK)
    except PermissionError:
        return False


def _read_place(folder: Path) -> _Place | None:
    """Return what is recorded in a folder of the registry; None if another process removes it."""
    try:
        return _Place.model_validate_json((folder / RECORD).read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValidationError):
        pass
    try:
        return _Place(folder=Path((folder / OLDER_RECORD).read_text("utf-8").strip()))
    except (FileNotFoundError, NotADirectoryError):
        return None


def leftovers() -> list[StackRecord]:
    """Return the records of stacks whose data folder is not where it was."""
    return [each for each in stack_records() if not each.has_folder()]


def record_stack(folder: Path, stack: str) -> None:
    """Record where a stack lies now; raise `UserError` if this folder is a copy of one that has the database."""
    file = registry() / stack / RECORD
    before = next((each for each in stack_records() if each.stack == stack), None)
    owns_database = os.geteuid() == 0
    if before is not None and owns_database and before.has_folder() and not before.folder.samefile(folder):
        raise UserError(
            f"{folder} is a copy of {before.folder}, and both name one database, which is outside of them: to copy a "
            f"stack, back it up (`{COMMAND} backup create`) and restore that into an empty folder"
        )
    mount = mount_of(folder)
    if not owns_database and (not _has_registry() or mount == mount_of(registry())):
        return  # without this disk the record would be missing, too
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
    place = _Place(folder=folder, mount=mount)
    if before is None or (before.folder, before.mount) != (place.folder, place.mount):
        write_private(file, place.model_dump_json())
    file.with_name(OLDER_RECORD).unlink(missing_ok=True)


def require_identity(folder: Path) -> None:
    """Raise `UserError` if a folder without secrets is not new: its disk is not mounted, or its secrets are lost."""
    if (folder / SECRETS).exists():
        return
    records = stack_records()
    recorded = [each for each in records if each.folder == folder]
    for record in records:
        if (record in recorded and record.is_unmounted()) or record.lay_on_the_disk_of(folder):
            lay = "" if record.mount is None else f" lies on the disk of {record.mount} and"
            raise UserError(
                f"the data folder {folder}{lay} is not there; its disk had the stack {record.stack}. Mount it; if it "
                f"is gone for good, `{COMMAND} stack remove {record.stack}` forgets the stack, with its database"
            )
    traces = (*DATA, LOCK) if recorded else DATA
    if any((folder / each).exists() for each in traces):
        raise UserError(f"{folder / SECRETS} is missing, but the folder has the data of a stack: {RECOVER}")


def remove(stack: str) -> StackRecord:
    """Remove the record of a stack whose data folder is gone, with its database. Raises `UserError`."""
    record = next((each for each in stack_records() if each.stack == stack), None)
    if record is None:
        raise UserError(f"there is no stack {stack}: `{COMMAND} stack list` lists all")
    if record.has_folder():
        raise UserError(f"the stack {stack} is in use by {record.folder}: remove that folder first, then its database")
    erase(stack)
    return record


def erase(stack: str) -> None:
    """Remove the record of a stack, and root's database with it."""
    shutil.rmtree(registry() / stack, ignore_errors=True)


def state_of(record: StackRecord) -> str:
    """Return the state of a stack in one or a few words."""
    if record.has_folder():
        return "up" if is_locked(record.folder) else "down"
    return "not mounted" if record.is_unmounted() else "its folder is gone"


def _stack_in(folder: Path) -> str | None:
    """Return the stack in this folder; None if there is none, or if its secrets are damaged."""
    try:
        return read_secrets(folder / SECRETS).stack
    except (OSError, UserError):
        return None
