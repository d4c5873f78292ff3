"""Confinement of a fresh process before it runs untrusted code.

The order matters: limits; the Landlock ruleset, while its paths can still be opened; user, namespace and capabilities;
the limit of threads; death with the parent; files (Landlock); system calls (seccomp); then proof.

Where the worker is root, every workspace has a user of its own. The child keeps one capability, to read, only if the
interpreter is in a place that this user could not read (a home of mode 700); Landlock still grants the same few
folders.
"""

import os
import platform
import resource
import signal
import socket
import struct
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterator, Sequence
from ctypes import c_char_p
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from sandbox.confinement import landlock, seccomp
from sandbox.confinement.linux import (
    PR_CAPBSET_DROP,
    PR_SET_DUMPABLE,
    PR_SET_KEEPCAPS,
    PR_SET_NO_NEW_PRIVS,
    die_with_parent,
    prctl,
    require_prctl,
    system_call,
)
from sandbox.confinement.syscalls import CAPSET
from sandbox.confinement.uids import (
    CAP_DAC_READ_SEARCH,
    all_reachable,
    allocate_user,
    has_capability,
    is_searchable_by_all,
)
from sandbox.confinement.user_namespace import enter_if_possible

MIB = 1 << 20
_CAPABILITY_VERSION_3 = 0x20080522
_LIBRARY_FOLDERS = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")
_SYSTEM_FOLDERS = (*_LIBRARY_FOLDERS, "/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts")
_LOADER = Path("/lib64/ld-linux-x86-64.so.2")
"""It starts every program of this machine; the kernel executes it together with the program."""
_CANARY_FILE = "/etc/passwd"


class SandboxError(RuntimeError):
    """The process could not be confined and must exit."""


@dataclass(frozen=True)
class Confinement:
    """Rights and limits of a child."""

    workspace: Path
    """The only folder that it can write to."""
    memory_mib: int = 2048
    address_space_mib: int = 65536
    """Bounds page tables, which RLIMIT_DATA does not count."""
    file_mib: int = 256
    open_files: int = 256
    cpu_s: int = 3600
    threads: int = 128
    """Applies only to a child with a user or a user namespace of its own: Linux counts threads by user."""
    user: int | None = None
    """The user id that the child takes; None: it keeps the worker's."""
    niceness: int = 10
    """How much it yields the processor to its host."""
    landlock_abi: int | None = None
    """Use no later version than this, as on an older kernel."""
    readable: tuple[Path, ...] | None = None
    """Paths that it can read besides its workspace; None: all that an import may need."""


def missing_features() -> list[str]:
    """Return what this machine lacks for the sandbox, each as `problem: remedy`."""
    missing: list[str] = []
    if platform.machine() != "x86_64":
        missing.append(f"the system-call filter supports x86-64 only, this is {platform.machine()}")
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
        user = allocate_user()
    except LookupError as error:
        missing.append(str(error))
        return missing
    if user is not None and not all_reachable(readable_paths()) and not has_capability(CAP_DAC_READ_SEARCH):
        missing.append(
            f"this root may not let its children read {sys.prefix} or another folder that they need: make them "
            "readable for all, grant CAP_DAC_READ_SEARCH, or run the worker as an ordinary user"
        )
    return missing


def readable_paths(sealed: Collection[str] = ()) -> tuple[Path, ...]:
    """Return all that an import may need: interpreter, installed packages, system libraries, and the folders of
    packages that this process has imported from elsewhere, such as a checkout, except those of `sealed` packages."""
    python = [Path(sys.prefix), Path(sys.base_prefix) / "lib", Path(sysconfig.get_path("stdlib"))]
    system = [Path(each) for each in _SYSTEM_FOLDERS]
    files = [Path("/etc/ld.so.cache"), Path("/dev/null"), Path("/dev/urandom")]
    found = {path.resolve() for path in (*_imported_packages(sealed), *python, *system, *files) if path.exists()}
    return tuple(sorted(found))


def _imported_packages(sealed: Collection[str]) -> Iterator[Path]:
    installed = (Path(sys.prefix), Path(sys.base_prefix))
    for name, module in sys.modules.items():
        if name in sealed:
            continue
        if "." not in name and module.__spec__ is not None and module.__spec__.submodule_search_locations:
            folder = Path(next(iter(module.__spec__.submodule_search_locations)))
            if not any(folder.is_relative_to(each) for each in installed):
                yield folder


def confine(confinement: Confinement, parent: int) -> None:
    """Confine this single-threaded process for good; after a `SandboxError` or `OSError` it must exit."""
    if len(os.listdir("/proc/self/task")) != 1:  # noqa: PTH208 - a count, not paths
        raise SandboxError("a process with several threads cannot be confined")
    workspace, user = confinement.workspace, confinement.user
    version = min(landlock.abi(), confinement.landlock_abi or landlock.abi())
    os.umask(0o077)
    os.chdir(workspace)
    readable = readable_paths() if confinement.readable is None else confinement.readable
    _limit_resources(confinement)
    _yield_processor(confinement)
    ruleset = landlock.prepare(readable, [workspace], version)
    is_reachable = all_reachable(readable, user) and is_searchable_by_all(workspace.parent)
    _change_user(user, keeps_reading=user is not None and not is_reachable)
    if user is None and os.geteuid() != 0 and enter_if_possible():
        _set_capabilities(0)
        _limit(resource.RLIMIT_NPROC, confinement.threads)
    die_with_parent(parent, signal.SIGKILL)
    require_prctl(PR_SET_DUMPABLE, 0, "hide memory from others")
    require_prctl(PR_SET_NO_NEW_PRIVS, 1, "give up new privileges")
    landlock.enforce(ruleset)
    seccomp.enforce(os.getpid())
    _verify()
    canary = workspace / ".canary"
    canary.mkdir()
    canary.rmdir()


def become(program: Path, arguments: Sequence[str], parent: int) -> NoReturn:
    """Confine this process and become a program of ours, which reads libraries and its open descriptors alone."""
    user = allocate_user()
    limits = Confinement(Path("/"), memory_mib=512, file_mib=0, open_files=64, cpu_s=10, user=user, niceness=5)
    libraries = [Path(each) for each in (*_LIBRARY_FOLDERS, "/etc/ld.so.cache") if Path(each).exists()]
    _limit_resources(limits)
    _yield_processor(limits)
    ruleset = landlock.prepare(libraries, [], landlock.abi(), [program, _LOADER])
    _change_user(user, keeps_reading=user is not None and not all_reachable([program], user))
    die_with_parent(parent, signal.SIGKILL)
    require_prctl(PR_SET_NO_NEW_PRIVS, 1, "give up new privileges")
    landlock.enforce(ruleset)
    seccomp.enforce(os.getpid(), executes=True)
    _verify()
    os.execv(program, [str(program), *arguments])  # noqa: S606 - the program is ours


def _limit_resources(confinement: Confinement) -> None:
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_AS: confinement.address_space_mib * MIB,
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
        _limit(kind, value)


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (allowed, allowed))


def _yield_processor(confinement: Confinement) -> None:
    os.nice(confinement.niceness)
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _change_user(user: int | None, *, keeps_reading: bool) -> None:
    """Take another user id and give up every capability, except at most the one to read every file."""
    if os.geteuid() == 0:
        for capability in range(64):
            if prctl(PR_CAPBSET_DROP, capability) != 0:
                break  # beyond the kernel's last capability
    if user is not None:
        require_prctl(PR_SET_KEEPCAPS, 1, "keep capabilities until they are chosen")
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    _set_capabilities(1 << CAP_DAC_READ_SEARCH if keeps_reading else 0)


def _set_capabilities(effective: int) -> None:
    """Empty every capability set except for these, so that none can be regained."""
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    system_call(CAPSET, c_char_p(header), c_char_p(struct.pack("6I", effective, effective, 0, 0, 0, 0)))


def _verify() -> None:
    """Prove each layer by trying what it must forbid: a process has no other way to see that Landlock applies to it."""
    _must_fail(lambda: os.open(_CANARY_FILE, os.O_RDONLY), f"reading {_CANARY_FILE}")
    _must_fail(socket.socket, "opening a socket")
    _must_fail(_fork, "forking")
    _must_fail(lambda: os.kill(os.getppid(), 0), "signalling the parent")


def _must_fail(attempt: Callable[[], object], action: str) -> None:
    try:
        attempt()
    except PermissionError:
        return
    raise SandboxError(f"the sandbox leaks: {action} was possible")


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)
