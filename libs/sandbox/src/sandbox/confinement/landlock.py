"""Landlock: which files a confined process can reach."""

import ctypes
import os
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path

from sandbox.confinement.linux import system_call
from sandbox.confinement.syscalls import LANDLOCK_ADD_RULE, LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF

MINIMUM_ABI = 2
"""From version 2 on, Landlock governs renames across folders (Linux 5.19)."""

SECCOMP_SUBSTITUTES: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "truncating files": (3, ("open", "openat", "creat")),
    "binding and connecting TCP sockets": (4, ("socket", "socketpair")),
    "commands to devices": (5, ("ioctl",)),
    "signals to other processes": (6, ("kill", "tgkill", "tkill", "rt_sigqueueinfo", "pidfd_send_signal", "fcntl")),
    "abstract sockets": (6, ("socket", "socketpair")),
}
"""What only a later version governs: that version, and the system calls that the filter checks or forbids instead.
`truncate` is forbidden, too; `creat` needs the right to write."""

_EXECUTE = 1
_WRITE_FILE, _READ_FILE, _READ_DIR, _REMOVE_DIR, _REMOVE_FILE = 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5
_MAKE_DIR, _MAKE_REGULAR, _REFER, _TRUNCATE = 1 << 7, 1 << 8, 1 << 13, 1 << 14
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_READ = _READ_FILE | _READ_DIR
# no child gets the right to make links, devices, sockets or named pipes
_WRITE = _READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REGULAR | _REFER | _TRUNCATE
_RULE_PATH_BENEATH = 1
_VERSION_QUERY = 1


def abi() -> int:
    """Return the Landlock version of this kernel; 0 without Landlock."""
    try:
        return system_call(LANDLOCK_CREATE_RULESET, 0, 0, _VERSION_QUERY)
    except OSError:
        return 0


def prepare(readable: Iterable[Path], writable: Iterable[Path], version: int, executable: Iterable[Path] = ()) -> int:
    """Return the descriptor of a ruleset that grants only these existing folders and files."""
    attributes = _ruleset(version)
    ruleset = system_call(LANDLOCK_CREATE_RULESET, ctypes.c_char_p(attributes), len(attributes), 0)
    governed = _file_rights(version)
    for path in readable:
        _grant(ruleset, path, _READ & governed)
    for path in writable:
        _grant(ruleset, path, _WRITE & governed)
    for path in executable:
        _grant(ruleset, path, _READ_FILE | _EXECUTE)
    return ruleset


def enforce(ruleset: int) -> None:
    """Deny this process from now on to open anything that the ruleset does not grant."""
    system_call(LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _file_rights(version: int) -> int:
    """Return all rights on files that this version governs; a governed right that is not granted is denied."""
    return (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1


def _ruleset(version: int) -> bytes:
    tcp = 0b11 if version >= 4 else None
    scopes = 0b11 if version >= 6 else None
    governed = [_file_rights(version), *(each for each in (tcp, scopes) if each is not None)]
    return struct.pack(f"{len(governed)}Q", *governed)


def _grant(ruleset: int, path: Path, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        granted = rights if path.is_dir() else rights & _OF_FILES
        rule = ctypes.c_char_p(struct.pack("=Qi", granted, descriptor))
        system_call(LANDLOCK_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)
