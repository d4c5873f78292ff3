"""What runs on this machine, read from /proc: who is whose child, and who still lives."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """One line of the process table."""

    pid: int
    parent: int
    command: str


def table() -> list[Process]:
    """Return every living process; those that vanish while being read are left out, zombies too."""
    found: list[Process] = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z":
            found.append(Process(int(folder.name), int(parent), command))
    return found


def family(pid: int) -> list[Process]:
    """Return all descendants of a process."""
    processes, members, found = table(), {pid}, list[Process]()
    while new := [process for process in processes if process.parent in members and process.pid not in members]:
        found += new
        members |= {process.pid for process in new}
    return found


def wait_for(condition: Callable[[], bool], seconds: float, what: str, seen: Callable[[], object] = str) -> None:
    """Wait until a condition holds; fail with the name of what did not come, and with what is `seen` instead."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} did not come within {seconds:g} s; {seen()}"
        time.sleep(0.05)


def kill(pid: int) -> None:
    """Kill one process that this test started."""
    os.kill(pid, signal.SIGKILL)
