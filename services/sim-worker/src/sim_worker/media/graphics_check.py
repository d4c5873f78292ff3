"""Check of this machine's headless OpenGL, in a process of its own because broken OpenGL may crash its process.

`python -m sim_worker.media.graphics_check PARENT_PID` is that process. It dies with its parent: it takes seconds to
import physics engine and OpenGL, and a worker that is killed meanwhile must not leave it behind.
"""

import ctypes
import importlib
import os
import signal
import subprocess
import sys

PACKAGES = "libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri"
TIMEOUT_S = 60.0
PR_SET_PDEATHSIG = 1


def check() -> str | None:
    """Return None if this machine can draw pictures, otherwise the problem and its fix in one line."""
    command = [sys.executable, "-m", "sim_worker.media.graphics_check", str(os.getpid())]
    fix = f"install Debian's packages: apt-get install --no-install-recommends {PACKAGES}"
    try:
        drawn = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return f"drawing one picture took longer than {TIMEOUT_S:g} s; {fix}"
    if drawn.returncode == 0:
        return None
    errors = drawn.stderr.strip().splitlines() or [f"the drawing process ended with {drawn.returncode}"]
    return f"no headless OpenGL ({errors[-1]}); {fix}"


def main() -> None:
    """Draw the test picture; the kernel kills this process when its parent dies."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL)) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() != int(sys.argv[1]):  # the parent died before prctl took effect
        return
    importlib.import_module("sim_worker.media.test_picture").main()


if __name__ == "__main__":
    main()
