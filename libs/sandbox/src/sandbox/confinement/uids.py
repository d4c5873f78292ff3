"""A user of its own for every workspace, where the worker is root."""

import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

_RANGES = (range(1_900_000_000, 1_990_000_000), range(40_000, 60_000))
"""Far from all that systems hand out; the second for root in a container that maps only 65,536 users."""
UID_MAP = Path("/proc/self/uid_map")
STATUS = Path("/proc/self/status")
CAP_READ_EVERYTHING = 2
"""CAP_DAC_READ_SEARCH; a container's root has it only if it was granted."""
_POWERS_TO_GIVE = {
    "CAP_CHOWN": 0,
    "CAP_DAC_OVERRIDE": 1,
    "CAP_FOWNER": 3,
    "CAP_KILL": 5,
    "CAP_SETGID": 6,
    "CAP_SETUID": 7,
}
"""What root needs to make another user of a child, and to look after its files. Containers may withhold them."""


def own_user() -> int | None:
    """Return a uid that nobody else has; None when this process cannot give any: its children can only be what it is.

    So it is for an ordinary user, and for a root without its powers. Raises `LookupError` when a root with all of them
    has no users to give.
    """
    if os.geteuid() != 0 or not all(has_capability(each) for each in _POWERS_TO_GIVE.values()):
        return None
    mapped = _mapped_users()
    for candidates in _RANGES:
        if any(candidates[0] in users and candidates[-1] in users for users in mapped):
            return candidates[secrets.randbelow(len(candidates))]
    raise LookupError("root has fewer than 60,000 users to give in this container: run the worker as an ordinary user")


def has_capability(number: int) -> bool:
    """Tell whether this process has that capability in effect."""
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return bool(int(lines["CapEff"], 16) >> number & 1)


def is_open_to_all(folder: Path) -> bool:
    """Tell whether anybody who is given a folder of his own in this one could get there, as far as modes tell."""
    return all(each.stat().st_mode & stat.S_IXOTH for each in (folder, *folder.parents))


def all_reachable(paths: Iterable[Path], user: int | None = None) -> bool:
    """Tell whether anybody, or this user, could read these files and folders, as far as modes tell."""
    return all(_is_reachable(path, user) for path in paths)


def _mapped_users() -> list[range]:
    lines = [line.split() for line in UID_MAP.read_text().splitlines()]
    return [range(int(first), int(first) + int(count)) for first, _, count in lines]


def _is_reachable(path: Path, user: int | None) -> bool:
    status = path.stat()
    wanted = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0)
    if status.st_uid == user:
        wanted <<= 6  # the owner's bits
    if status.st_mode & wanted != wanted:
        return False
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in path.parents)
