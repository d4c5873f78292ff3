"""The machine: processor, interpreter, packages, memory, limits."""

import os
import platform
import resource
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from importlib.metadata import distributions
from pathlib import Path

from local_stack.settings import ROOT
from sandbox.memory import CGROUPS, MACHINE, available_mib

from doctor.check import Check, failed, passed

OLDEST, NEWEST = (3, 11), (3, 13)
MEMORY_MB = 1500
"""Servers, services, one kernel and one judging child beside it."""
OPEN_FILES = 1024
TEMPORARY_MB = 200
SHOWN = 4
AGAIN = "set up again: ./run setup"


def check_system() -> Check:
    """Processor and operating system."""
    found = f"{platform.system()} {platform.release()}, {platform.machine()}"
    if sys.platform == "linux" and platform.machine() == "x86_64":
        return passed("machine", "system", found)
    return failed("machine", "system", "not supported yet", "use Linux on x86-64", found)


def check_python() -> Check:
    """The interpreter's version."""
    found = f"Python {platform.python_version()}"
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return passed("machine", "Python", found)
    problem = "too old" if sys.version_info[:2] < OLDEST else "too new"
    return failed(
        "machine", "Python", problem, "use 3.11, 3.12 or 3.13: MILLWRIGHT_PYTHON=/path/to/python3.12 ./run", found
    )


def check_packages(lock: Path = ROOT / "uv.lock", installed: Mapping[str, str] | None = None) -> Check:
    """Whether what is installed is what the lock says."""
    if not lock.is_file():
        return passed("machine", "packages", "no uv.lock here to compare with")
    there = _installed() if installed is None else installed
    locked: dict[str, set[str]] = {}
    for each in tomllib.loads(lock.read_text())["package"]:  # one package may be locked once for each Python
        locked.setdefault(each["name"], set()).add(each.get("version", ""))
    other = [
        f"{name} {there[name]}, locked {' or '.join(sorted(versions))}"
        for name, versions in locked.items()
        if name in there and there[name] not in versions
    ]
    if not other:
        return passed("machine", "packages", f"{len(there)}, as locked")
    seen = "; ".join(other[:SHOWN]) + (f" and {len(other) - SHOWN} more" if len(other) > SHOWN else "")
    return failed("machine", "packages", "installed packages are not those of uv.lock", AGAIN, seen)


def check_memory(table: Path = MACHINE, cgroups: Path = CGROUPS) -> Check:
    """Memory that programs can have: the machine's, or what is left below the limit of a container."""
    free_mb = int(available_mib(table, cgroups))
    if free_mb >= MEMORY_MB:
        return passed("machine", "memory", f"{free_mb} MB available")
    mend = "end other programs, or give the machine (container, VM) more memory"
    return failed("machine", "memory", f"a run wants {MEMORY_MB} MB", mend, f"{free_mb} MB available")


def check_open_files() -> Check:
    """How many files one process may open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= OPEN_FILES:
        return passed("machine", "open files", f"{soft} per process")
    mend = f"`ulimit -n {OPEN_FILES * 4}` in this shell (the hard limit is {hard}), or raise nofile in limits.conf"
    return failed(
        "machine", "open files", f"a process may open too few; {OPEN_FILES} are needed", mend, f"{soft} per process"
    )


def check_temporary_folder() -> Check:
    """Kernels' workspaces lie in the temporary folder."""
    try:
        with tempfile.NamedTemporaryFile(prefix="millwright-doctor-") as file:
            file.write(b"0" * 4096)
            file.flush()
            stat = os.statvfs(file.name)
    except OSError as error:
        mend = "make the temporary folder writable, or set TMPDIR to one that is"
        return failed("machine", "temporary folder", "cannot be written", mend, f"{error.strerror or error}")
    free_mb = stat.f_bavail * stat.f_frsize >> 20
    if free_mb >= TEMPORARY_MB:
        return passed("machine", "temporary folder", f"{tempfile.gettempdir()}, {free_mb} MB free")
    mend = f"make room in {tempfile.gettempdir()}, or set TMPDIR to a folder with more of it"
    return failed(
        "machine",
        "temporary folder",
        f"kernels want {TEMPORARY_MB} MB for their workspaces",
        mend,
        f"{free_mb} MB free",
    )


def check_text(output: str | None = None, names: str | None = None) -> Check:
    """Whether text goes in and out as UTF-8."""
    spoken: str = output or sys.stdout.encoding or "unknown"
    named: str = names or sys.getfilesystemencoding()
    if {spoken.lower().replace("-", ""), named.lower().replace("-", "")} == {"utf8"}:
        return passed("machine", "text", "UTF-8")
    mend = "set LC_ALL=C.UTF-8, and unset PYTHONIOENCODING"
    return failed(
        "machine", "text", "the terminal or the file system is not UTF-8", mend, f"output {spoken}, file names {named}"
    )


def _installed() -> dict[str, str]:
    return {each.metadata["Name"].lower().replace("_", "-").replace(".", "-"): each.version for each in distributions()}
