"""Checks of the machine: processor, interpreter, packages, memory, limits."""

import os
import platform
import resource
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from importlib.metadata import distributions
from pathlib import Path

from local_stack.servers.binaries import REINSTALL
from local_stack.settings import find_checkout
from sandbox.memory import CGROUPS, MACHINE, available_mib

from doctor.check import Check, failed, passed

OLDEST, NEWEST = (3, 11), (3, 13)
MEMORY_MB = 1500
"""For servers, services, one kernel and one clean child."""
OPEN_FILES = 1024
TEMPORARY_MB = 200
SHOWN = 4


def check_system() -> Check:
    """Check processor and operating system."""
    found = f"{platform.system()} {platform.release()}, {platform.machine()}"
    if sys.platform == "linux" and platform.machine() == "x86_64":
        return passed("machine", "system", found)
    return failed("machine", "system", "not supported yet", "use Linux on x86-64", found)


def check_python() -> Check:
    """Check the interpreter's version."""
    found = f"Python {platform.python_version()}"
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return passed("machine", "Python", found)
    problem = "too old" if sys.version_info[:2] < OLDEST else "too new"
    fix = "use 3.11, 3.12 or 3.13: MILLWRIGHT_PYTHON=/path/to/python3.12 ./run"
    return failed("machine", "Python", problem, fix, found)


def check_packages(lock: Path | None = None, installed: Mapping[str, str] | None = None) -> Check:
    """Check that the installed packages are those of the lock; only a checkout has one."""
    checkout = find_checkout()
    lock = lock or (checkout and checkout / "uv.lock")
    if lock is None:
        return passed("machine", "packages", "no checkout, so no uv.lock to compare with")
    installed = _installed() if installed is None else installed
    locked: dict[str, set[str]] = {}
    for each in tomllib.loads(lock.read_text())["package"]:  # one package may be locked once for each Python
        locked.setdefault(each["name"], set()).add(each.get("version", ""))
    different = [
        f"{name} {installed[name]}, locked {' or '.join(sorted(versions))}"
        for name, versions in locked.items()
        if name in installed and installed[name] not in versions
    ]
    if not different:
        return passed("machine", "packages", f"{len(installed)}, as locked")
    measured = "; ".join(different[:SHOWN])
    measured += f" and {len(different) - SHOWN} more" if len(different) > SHOWN else ""
    return failed("machine", "packages", "installed packages are not those of uv.lock", REINSTALL, measured)


def check_memory(table: Path = MACHINE, cgroups: Path = CGROUPS) -> Check:
    """Check the memory that is available: the machine's, or the rest below a container's limit."""
    free_mb = int(available_mib(table, cgroups))
    if free_mb >= MEMORY_MB:
        return passed("machine", "memory", f"{free_mb} MB available")
    fix = "end other programs, or give the machine (container, VM) more memory"
    return failed("machine", "memory", f"a run needs {MEMORY_MB} MB", fix, f"{free_mb} MB available")


def check_open_files() -> Check:
    """Check how many files one process may open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= OPEN_FILES:
        return passed("machine", "open files", f"{soft} per process")
    what = f"the limit is too low; {OPEN_FILES} are needed"
    fix = f"`ulimit -n {OPEN_FILES * 4}` in this shell (the hard limit is {hard}), or raise nofile in limits.conf"
    return failed("machine", "open files", what, fix, f"{soft} per process")


def check_temporary_folder() -> Check:
    """Check the temporary folder, which holds the workspaces of kernels."""
    try:
        with tempfile.NamedTemporaryFile(prefix="millwright-doctor-") as file:
            file.write(b"0" * 4096)
            file.flush()
            stat = os.statvfs(file.name)
    except OSError as error:
        fix = "make the temporary folder writable, or set TMPDIR to one that is"
        return failed("machine", "temporary folder", "cannot be written", fix, f"{error.strerror or error}")
    free_mb = stat.f_bavail * stat.f_frsize >> 20
    if free_mb >= TEMPORARY_MB:
        return passed("machine", "temporary folder", f"{tempfile.gettempdir()}, {free_mb} MB free")
    what = f"kernels need {TEMPORARY_MB} MB for their workspaces"
    fix = f"free some space in {tempfile.gettempdir()}, or set TMPDIR to a folder with more of it"
    return failed("machine", "temporary folder", what, fix, f"{free_mb} MB free")


def check_text(output: str | None = None, names: str | None = None) -> Check:
    """Check that output and file names are encoded as UTF-8."""
    encodings = (output or sys.stdout.encoding or "unknown", names or sys.getfilesystemencoding())
    if {each.lower().replace("-", "") for each in encodings} == {"utf8"}:
        return passed("machine", "text", "UTF-8")
    what = "the terminal or the file system is not UTF-8"
    fix = "set LC_ALL=C.UTF-8, and unset PYTHONIOENCODING"
    return failed("machine", "text", what, fix, "output {}, file names {}".format(*encodings))


def _installed() -> dict[str, str]:
    return {each.metadata["Name"].lower().replace("_", "-").replace(".", "-"): each.version for each in distributions()}
