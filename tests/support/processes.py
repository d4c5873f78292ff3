"""Processes of this machine, read from /proc."""

import os
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """One line of the process table."""

    pid: int
    parent: int
    command: str


def process_table() -> list[Process]:
    """Return every living process, without zombies and those that vanish while being read."""
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


def descendants(pid: int) -> list[Process]:
    """Return all descendants of a process."""
    processes, members, found = process_table(), {pid}, list[Process]()
    while new := [process for process in processes if process.parent in members and process.pid not in members]:
        found += new
        members |= {process.pid for process in new}
    return found


def is_alive(pid: int) -> bool:
    """Return whether the process runs; a zombie does not."""
    return any(process.pid == pid for process in process_table())


def with_descendants(pids: Iterable[int]) -> set[int]:
    """Return those of these processes that are alive, and their living descendants, in whatever session."""
    pids = set(pids)
    return {pid for pid in pids if is_alive(pid)} | {each.pid for pid in pids for each in descendants(pid)}


def gone_within(pids: Iterable[int], seconds: float) -> bool:
    """Wait until none of these processes is alive; return False after `seconds`."""
    expected = set(pids)
    deadline = time.monotonic() + seconds
    while expected & {process.pid for process in process_table()}:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def wait_for(condition: Callable[[], bool], seconds: float, name: str, observed: Callable[[], object] = str) -> None:
    """Wait until a condition holds; on time-out, fail with the name of what is missing and what is observed instead."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{name} did not come within {seconds:g} s; {observed()}"
        time.sleep(0.05)


def kill(pid: int) -> None:
    """Kill one process that this test started."""
    os.kill(pid, signal.SIGKILL)


def signal_family(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process and all its descendants: a frozen postmaster alone would leave its sessions alive."""
    for each in (pid, *(process.pid for process in descendants(pid))):
        try:
            os.kill(each, number)
        except ProcessLookupError:
            continue


def processes_below(folder: Path) -> set[int]:
    """Return the processes whose current folder is in `folder`, even if it has been removed."""
    return {pid for pid, current in current_folders().items() if current.startswith(f"{folder}/")}


def current_folders() -> dict[int, str]:
    """Return the current folder of each process."""
    found: dict[int, str] = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or belongs to another user
            found[int(process.name)] = str((process / "cwd").readlink())
    return found
