"""A user namespace of a child's own: in it, Linux counts the child's threads alone, though the user has others.

That holds since Linux 5.14 (user_namespaces(7), `RLIMIT_NPROC` in getrlimit(2)). Engines of containers forbid it by
default, and so does Ubuntu 24.04.
"""

import os
from pathlib import Path

from sandbox.confinement.linux import system_call
from sandbox.confinement.syscalls import UNSHARE

_CLONE_NEWUSER = 0x10000000
_SELF = Path("/proc/self")


def enter_if_possible() -> bool:
    """Enter a new one, in which user and group keep their ids; tell whether the machine allows it.

    A child tries it first: where only the second half is forbidden, nothing leads back. This process then has all
    capabilities inside, which it must give up.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _enter()
            code = 0
        finally:
            os._exit(code)
    if os.waitpid(child, 0)[1] != 0:
        return False
    _enter()
    return True


def _enter() -> None:
    user, group = os.geteuid(), os.getegid()
    system_call(UNSHARE, _CLONE_NEWUSER)
    (_SELF / "setgroups").write_text("deny")
    (_SELF / "uid_map").write_text(f"{user} {user} 1")
    (_SELF / "gid_map").write_text(f"{group} {group} 1")
