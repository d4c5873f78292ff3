"""Living processes, read from /proc."""

import time
from collections.abc import Iterable
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Return whether the process runs; a zombie does not."""
    return _state_and_parent(pid)[0] != "Z"


def with_descendants(pids: Iterable[int]) -> set[int]:
    """Return these processes and their living descendants, in whatever session."""
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    parents = {pid: _state_and_parent(pid)[1] for pid in numbers}
    family = set(pids)
    while grown := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= grown
    return {pid for pid in family if is_alive(pid)}


def gone_within(pids: Iterable[int], seconds: float) -> bool:
    """Wait until none of these processes is alive; return False after `seconds`."""
    expected = list(pids)
    deadline = time.monotonic() + seconds
    while any(map(is_alive, expected)):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _state_and_parent(pid: int) -> tuple[str, int]:
    """Return a process' state letter and its parent; ("Z", 0) when it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return "Z", 0
    state, parent = stat.rsplit(")", 1)[1].split()[:2]
    return state, int(parent)
