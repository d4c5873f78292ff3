"""Users of confined children: a user id of its own for every workspace, where the worker is root."""

import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

_RANGES = (range(1_900_000_000, 1_990_000_000), range(40_000, 60_000))
"""Beyond the ids that systems allocate; the second for root in a container that maps only 65,536 users."""
UID_MAP = Path("/proc/self/uid_map")
STATUS = Path("/proc/self/status")
CAP_DAC_READ_SEARCH = 2
"""Read every file; root in a container has it only if it was granted."""
_REQUIRED_CAPABILITIES = {
    "CAP_CHOWN": 0,
    "CAP_DAC_OVERRIDE": 1,
    "CAP_FOWNER": 3,
    "CAP_KILL": 5,
    "CAP_SETGID": 6,
    "CAP_SETUID": 7,
}
"""Root needs these to change a child's user and to manage its files. Containers may withhold them."""


def allocate_user() -> int | None:
    """Return a random user id for one child; None when this process cannot change the user of its children.

    That holds for an ordinary user, and for a root without the capabilities. Raises `LookupError` when root has the
    capabilities, but no range of user ids.
    """
    if os.geteuid() != 0 or not all(has_capability(each) for each in _REQUIRED_CAPABILITIES.values()):
        return None
    mapped = _mapped_users()
    for candidates in _RANGES:
        if any(candidates[0] in users and candidates[-1] in users for users in mapped):
            return candidates[secrets.randbelow(len(candidates))]
    raise LookupError("this container maps fewer than 60,000 user ids: run the worker as an ordinary user")


def has_capability(number: int) -> bool:
    """Tell whether this process has the capability in effect."""
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return bool(int(lines["CapEff"], 16) >> number & 1)


def is_searchable_by_all(folder: Path) -> bool:
    """Tell whether the modes let every user pass through the folder, to a folder of that user in it."""
    return all(each.stat().st_mode & stat.S_IXOTH for each in (folder, *folder.parents))


def all_reachable(paths: Iterable[Path], user: int | None = None) -> bool:
    """Tell whether the modes let every user, or this one, read these files and folders."""
    return all(_is_reachable(path, user) for path in paths)


def _mapped_users() -> list[range]:
    lines = [line.split() for line in UID_MAP.read_text().splitlines()]
    return [range(int(first), int(first) + int(count)) for first, _, count in lines]


def _is_reachable(path: Path, user: int | None) -> bool:
    status = path.stat()
    needed = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0)
    if status.st_uid == user:
        needed <<= 6  # the owner's bits
    if status.st_mode & needed != needed:
        return False
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in path.parents)
