"""Execute a program that dies with the process that started it, even when that one is killed with -9.

Run as a script: `exec_tied_to_parent.py PARENT_PID DEATH_SIGNAL UID|- GID|- COMMAND…`. The kernel forgets the death
signal when the user changes, so it is set after that.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def execute(parent_pid: int, death_signal: int, uid: str, gid: str, command: list[str]) -> None:
    """Replace this process by `command`."""
    if uid != "-":
        os.setgroups([])
        os.setgid(int(gid))
        os.setuid(int(uid))
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, death_signal) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() != parent_pid:  # the parent died before the death signal was set
        return
    os.execv(command[0], command)  # noqa: S606 - our own command


if __name__ == "__main__":
    execute(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5:])
