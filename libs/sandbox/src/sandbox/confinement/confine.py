"""Confine a fresh process before it meets code, or reads texts, that are not ours.

Order matters: limits, then the right to open files is prepared (Landlock), then user and capabilities are given up,
then death with the parent, then files are closed, then system calls (seccomp), then proof.

Where the worker is root, every workspace has a user of its own. Its child keeps one capability, to read, if and only if
the interpreter lies where that user could not read it (a home of mode 700); Landlock still grants the same few folders.
"""

import os
import platform
import resource
import signal
import socket
import struct
import sys
import sysconfig
from collections.abc import Callable, Iterator
from ctypes import c_char_p
from dataclasses import dataclass
from pathlib import Path

from sandbox.confinement import landlock, seccomp
from sandbox.confinement.linux import (
    PR_CAP_AMBIENT,
    PR_CAP_AMBIENT_RAISE,
    PR_CAPBSET_DROP,
    PR_SET_DUMPABLE,
    PR_SET_KEEPCAPS,
    PR_SET_NO_NEW_PRIVS,
    die_with_parent,
    prctl,
    require_prctl,
    system_call,
)
from sandbox.confinement.syscalls import CAPSET, OF_PROGRAMS
from sandbox.confinement.uids import CAP_READ_EVERYTHING, all_reachable, has_capability, is_open_to_all, own_user

MIB = 1 << 20
_CAPABILITY_VERSION_3 = 0x20080522
_SYSTEM_FOLDERS = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/etc/fonts",
)
_CANARY_FILE = "/etc/passwd"
LOADER = Path("/lib64/ld-linux-x86-64.so.2")
"""What Linux starts to start a program of a wheel."""


class SandboxError(RuntimeError):
    """The process could not be confined; nothing foreign may run in it."""


@dataclass(frozen=True)
class Confinement:
    """What a child may use."""

    workspace: Path
    """The only folder it can write to."""
    memory_mib: int = 2048
    file_mib: int = 256
    open_files: int = 256
    cpu_s: int = 3600
    threads: int = 128
    """Only where the child has a user of its own; the system counts them by user."""
    user: int | None = None
    """Whom it becomes; None: it stays who it is."""
    landlock_abi: int | None = None
    """Use no later version than this, as on an older kernel."""
    readable: tuple[Path, ...] | None = None
    """What it can read besides its workspace; None: all that an import may need."""
    program: Path | None = None
    """The only program that it can become; None: none. See `enclosing`."""


def missing_features() -> list[str]:
    """Return what this machine lacks for the sandbox, each with its mend; empty when it can be built."""
    missing: list[str] = []
    if platform.machine() != "x86_64":
        missing.append(f"the system-call filter knows x86-64 only, this is {platform.machine()}")
        return missing
    abi = landlock.abi()
    if abi < landlock.MINIMUM_ABI:
        missing.append(
            f"Landlock ABI {abi} found, {landlock.MINIMUM_ABI} needed: use Linux 5.19 or newer with `landlock` "
            "in its list of security modules, and a container runtime that does not filter its system calls"
        )
    if not seccomp.available():
        missing.append("seccomp is not in this kernel: use one built with CONFIG_SECCOMP_FILTER")
    try:
        user = own_user()
    except LookupError as error:
        missing.append(str(error))
        return missing
    if user is not None and not all_reachable(readable_paths()) and not has_capability(CAP_READ_EVERYTHING):
        missing.append(
            f"this root may not let its children read {sys.prefix} or another folder that they need: make them "
            "readable for all, grant CAP_DAC_READ_SEARCH, or run the worker as an ordinary user"
        )
    return missing


def readable_paths() -> tuple[Path, ...]:
    """Return all that an import may need: interpreter, installed packages, system libraries, and the folders of the
    packages that this process has imported from anywhere else, such as a checkout."""
    python = [Path(sys.prefix), Path(sys.base_prefix) / "lib", Path(sysconfig.get_path("stdlib"))]
    system = [Path(each) for each in _SYSTEM_FOLDERS]
    files = [Path("/etc/ld.so.cache"), Path("/dev/null"), Path("/dev/urandom")]
    found = {path.resolve() for path in (*_imported_packages(), *python, *system, *files) if path.exists()}
    return tuple(sorted(found))


def _imported_packages() -> Iterator[Path]:
    installed = (Path(sys.prefix), Path(sys.base_prefix))
    for name, module in sys.modules.items():
        if "." not in name and module.__spec__ is not None and module.__spec__.submodule_search_locations:
            folder = Path(next(iter(module.__spec__.submodule_search_locations)))
            if not any(folder.is_relative_to(each) for each in installed):
                yield folder


def _limit(confinement: Confinement) -> None:
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_DATA: confinement.memory_mib * MIB,
        resource.RLIMIT_FSIZE: confinement.file_mib * MIB,
        resource.RLIMIT_NOFILE: confinement.open_files,
        resource.RLIMIT_CPU: confinement.cpu_s,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if confinement.user is not None:
        limits[resource.RLIMIT_NPROC] = confinement.threads
    for kind, value in limits.items():
        _, hard = resource.getrlimit(kind)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (allowed, allowed))


def drop_capabilities(kept: int = 0, inherited: int = 0) -> None:
    """Empty every capability set but for those `kept` and `inherited`, so that nothing can be regained."""
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    system_call(CAPSET, c_char_p(header), c_char_p(struct.pack("6I", kept, kept, inherited, 0, 0, 0)))


def _become(user: int | None, *, reads_everything: bool, starts_a_program: bool) -> None:
    """Give up who we were, and every capability; at most keep the one to read, also as the program that is started."""
    lasting = reads_everything and starts_a_program
    if os.geteuid() == 0:
        for capability in range(64):
            if lasting and capability == CAP_READ_EVERYTHING:
                continue
            if prctl(PR_CAPBSET_DROP, capability) != 0:
                break  # the kernel's last capability is behind us
    if user is not None:
        require_prctl(PR_SET_KEEPCAPS, 1, "keep capabilities until they are chosen")
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    kept = 1 << CAP_READ_EVERYTHING if reads_everything else 0
    drop_capabilities(kept, kept if lasting else 0)
    if lasting:
        require_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, "go on reading as the program", CAP_READ_EVERYTHING)


def _must_fail(attempt: Callable[[], object], what: str) -> None:
    try:
        attempt()
    except PermissionError:
        return
    raise SandboxError(f"the sandbox leaks: {what} was possible")


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _verify(workspace: Path) -> None:
    """Prove each layer by trying what it must forbid; there is no other sign of Landlock from inside."""
    _must_fail(lambda: os.open(_CANARY_FILE, os.O_RDONLY), f"reading {_CANARY_FILE}")
    _must_fail(socket.socket, "opening a socket")
    _must_fail(_fork, "forking")
    _must_fail(lambda: os.kill(os.getppid(), 0), "signalling the parent")
    canary = workspace / ".canary"
    canary.write_text("")
    canary.unlink()


def confine(confinement: Confinement, parent: int) -> None:
    """Lock this single-threaded process in for good; raise `SandboxError` or `OSError`, and then it must exit."""
    if len(os.listdir("/proc/self/task")) != 1:  # noqa: PTH208 - a count, not paths
        raise SandboxError("a process with several threads cannot be confined")
    workspace, user = confinement.workspace, confinement.user
    version = min(landlock.abi(), confinement.landlock_abi or landlock.abi())
    os.umask(0o077)
    os.chdir(workspace)
    program = confinement.program
    executable = () if program is None else (program, LOADER.resolve())
    readable = readable_paths() if confinement.readable is None else confinement.readable
    _limit(confinement)
    ruleset = landlock.prepare(readable, [workspace], version, executable)
    reachable = all_reachable((*readable, *executable), user) and is_open_to_all(workspace.parent)
    _become(user, reads_everything=user is not None and not reachable, starts_a_program=program is not None)
    die_with_parent(parent, signal.SIGKILL)
    require_prctl(PR_SET_DUMPABLE, 0, "hide memory from others")
    require_prctl(PR_SET_NO_NEW_PRIVS, 1, "give up new privileges")
    landlock.enforce(ruleset)
    seccomp.enforce(os.getpid(), OF_PROGRAMS.values() if program is not None else ())
    _verify(workspace)
