"""System-call filter (seccomp): an allow-list in classic BPF, for x86-64."""

import ctypes
import errno
import os
import struct
from collections.abc import Sequence

from sandbox.confinement.linux import PR_GET_SECCOMP, prctl, system_call
from sandbox.confinement.syscalls import ALLOWED, CLONE3, EXECVE, GUARDED, SECCOMP

Instruction = tuple[int, int, int, int]
"""Code, value, jump if true, jump if false."""

_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_IF_EQUAL, _IF_AT_LEAST = 0x15, 0x35
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_ARCHITECTURE_X86_64 = 0xC000003E
_X32_BIT = 0x40000000
_SET_MODE_FILTER = 1

_ALLOW: Instruction = (_RETURN, 0x7FFF0000, 0, 0)
_KILL: Instruction = (_RETURN, 0x80000000, 0, 0)
_DENY: Instruction = (_RETURN, 0x00050000 | errno.EPERM, 0, 0)
_NO_SUCH_CALL: Instruction = (_RETURN, 0x00050000 | errno.ENOSYS, 0, 0)

_MAP_SHARED_ANONYMOUS, _MAP_GROWSDOWN = 0x21, 0x100
_CLONE_THREAD = 0x10900
"""CLONE_VM | CLONE_SIGHAND | CLONE_THREAD."""
_CLONE_FORBIDDEN = 0x7E020000 | 0x2000 | 0x80
"""Every namespace, and tracing."""
_HARMLESS_PRCTL = (3, 16, 0x53564D41)
"""Get dumpability and a thread's name; name a mapping."""
_TEMPORARY_FILE = 0o20000000
"""What O_TMPFILE adds to O_DIRECTORY."""
_HARMLESS_IOCTL = (0x5401, 0x5413, 0x5421, 0x541B, 0x5450, 0x5451)
"""Terminal attributes and size, blocking mode, bytes waiting, close on exec."""
_HARMLESS_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030)
"""Duplicate, flags, locks."""


def _load(argument: int, half: int = 0) -> Instruction:
    return (_LOAD, _ARGUMENTS_AT + 8 * argument + 4 * half, 0, 0)


def _one_of(argument: int, values: Sequence[int]) -> list[Instruction]:
    """Deny unless the argument (its lower 32 bits) is one of `values`."""
    tests = [(_IF_EQUAL, value, len(values) - index, 0) for index, value in enumerate(values)]
    return [_load(argument), *tests, _DENY]


def _masked(argument: int, mask: int, value: int) -> list[Instruction]:
    """Deny unless `argument & mask == value`."""
    return [_load(argument), (_AND, mask, 0, 0), (_IF_EQUAL, value, 1, 0), _DENY]


def _not_masked(argument: int, mask: int, value: int) -> list[Instruction]:
    """Deny when `argument & mask == value`."""
    return [_load(argument), (_AND, mask, 0, 0), (_IF_EQUAL, value, 0, 1), _DENY]


def _declared_writes(argument: int) -> list[Instruction]:
    """Deny flags that change a file without requesting write access: Landlock ignores them before ABI 3."""
    not_both = _not_masked(argument, os.O_ACCMODE, os.O_ACCMODE)
    return not_both + _not_masked(argument, os.O_ACCMODE | os.O_TRUNC, os.O_RDONLY | os.O_TRUNC)


def _named(argument: int) -> list[Instruction]:
    """Deny files without a name, which the watchdog would not find."""
    return _masked(argument, _TEMPORARY_FILE, 0)


def _null(argument: int) -> list[Instruction]:
    """Deny unless the pointer is NULL."""
    return [_load(argument), (_IF_EQUAL, 0, 1, 0), _DENY, _load(argument, half=1), (_IF_EQUAL, 0, 1, 0), _DENY]


def _guards(pid: int) -> dict[str, list[Instruction]]:
    return {
        "open": _declared_writes(1) + _named(1),
        "openat": _declared_writes(2) + _named(2),
        # memory that is shared and anonymous, or grows by itself, escapes RLIMIT_DATA
        "mmap": _not_masked(3, _MAP_SHARED_ANONYMOUS, _MAP_SHARED_ANONYMOUS) + _masked(3, _MAP_GROWSDOWN, 0),
        "clone": _masked(0, _CLONE_THREAD, _CLONE_THREAD) + _masked(0, _CLONE_FORBIDDEN, 0),
        "kill": _one_of(0, [pid]),
        "tgkill": _one_of(0, [pid]),
        "prlimit64": _one_of(0, [0]) + _null(2),
        "prctl": _one_of(0, _HARMLESS_PRCTL),
        "ioctl": _one_of(1, _HARMLESS_IOCTL),
        "fcntl": _one_of(1, _HARMLESS_FCNTL),
    }


def assemble(pid: int, *, executes: bool = False) -> bytes:
    """Return the filter of the process `pid` as BPF; `executes`: it may still become another program."""
    program: list[Instruction] = [
        (_LOAD, _ARCHITECTURE_AT, 0, 0),
        (_IF_EQUAL, _ARCHITECTURE_X86_64, 1, 0),
        _KILL,
        (_LOAD, _NUMBER_AT, 0, 0),
        (_IF_AT_LEAST, _X32_BIT, 0, 1),
        _KILL,
    ]
    for number in (*ALLOWED.values(), *([EXECVE] if executes else [])):
        program += [(_IF_EQUAL, number, 0, 1), _ALLOW]
    for name, guard in _guards(pid).items():
        body = [*guard, _ALLOW]
        program += [(_IF_EQUAL, GUARDED[name], 0, len(body)), *body]
    # glibc falls back to clone(), whose flags the filter can read
    program += [(_IF_EQUAL, CLONE3, 0, 1), _NO_SUCH_CALL, _DENY]
    return b"".join(struct.pack("HBBI", code, yes, no, value) for code, value, yes, no in program)


def available() -> bool:
    """Tell whether this kernel can filter system calls."""
    return prctl(PR_GET_SECCOMP) >= 0


def enforce(pid: int, *, executes: bool = False) -> None:
    """Filter the system calls of this process from now on; it must be single-threaded, without new privileges."""
    program = assemble(pid, executes=executes)
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    system_call(SECCOMP, _SET_MODE_FILTER, 0, ctypes.c_char_p(header))
