"""System calls and process controls of Linux that Python does not wrap."""

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_KEEPCAPS = 8
PR_GET_SECCOMP = 21
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38


def system_call(number: int, *arguments: int | ctypes.c_char_p) -> int:
    """Make a system call; raise `OSError` when it fails."""
    wide = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result: int = _libc.syscall(ctypes.c_long(number), *wide)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), f"system call {number}")
    return result


def prctl(option: int, value: int = 0) -> int:
    """Get or set a property of this process; -1 when the kernel refuses."""
    zero = ctypes.c_ulong(0)
    result: int = _libc.prctl(ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero)
    return result


def require_prctl(option: int, value: int, purpose: str) -> None:
    """Set a property of this process; raise `OSError` when the kernel refuses."""
    if prctl(option, value) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), purpose)


def die_with_parent(parent: int, signal_number: int) -> None:
    """Receive this signal when the parent dies; raise `ProcessLookupError` when it already has."""
    require_prctl(PR_SET_PDEATHSIG, signal_number, "die with the parent")
    if os.getppid() != parent:
        raise ProcessLookupError(f"parent {parent} has died")
