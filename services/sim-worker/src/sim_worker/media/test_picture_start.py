"""`python -m sim_worker.media.test_picture_start PARENT_PID`: the test picture, tied to its parent process.

Importing a physics engine and OpenGL takes seconds. A worker that is killed meanwhile must leave nobody behind.
"""

import ctypes
import importlib
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Die with the parent from now on, and draw."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL)) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() != int(sys.argv[1]):  # the parent died before the kernel knew that we care
        return
    importlib.import_module("sim_worker.media.test_picture").main()


if __name__ == "__main__":
    main()
