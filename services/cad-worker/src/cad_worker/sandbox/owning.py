"""A user of its own for every workspace, where the worker is root."""

import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

_RANGES = (range(1_900_000_000, 1_990_000_000), range(40_000, 60_000))
"""Far from all that systems hand out; the second for root in a container that maps only 65,536 users."""
UID_MAP = Path("/proc/self/uid_map")


def own_user() -> int | None:
    """Return a uid that nobody else has; None when this process is not root: its children can only be what it is.

    Raises `LookupError` when root has no users to give.
    """
    if os.geteuid() != 0:
        return None
    mapped = _mapped_users()
    for candidates in _RANGES:
        if any(candidates[0] in users and candidates[-1] in users for users in mapped):
            return candidates[secrets.randbelow(len(candidates))]
    raise LookupError("root has fewer than 60,000 users to give in this container: run the worker as an ordinary user")


def all_reachable(paths: Iterable[Path]) -> bool:
    """Tell whether anybody could read these files and folders, as far as modes tell."""
    return all(_is_reachable(path) for path in paths)


def _mapped_users() -> list[range]:
    lines = [line.split() for line in UID_MAP.read_text().splitlines()]
    return [range(int(first), int(first) + int(count)) for first, _, count in lines]


def _is_reachable(path: Path) -> bool:
    wanted = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0)
    if path.stat().st_mode & wanted != wanted:
        return False
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in path.parents)
