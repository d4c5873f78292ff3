"""Can this machine draw? Asked in a process of its own, because a broken OpenGL may take its process along."""

import os
import subprocess
import sys

PACKAGES = "libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri"
TIMEOUT_S = 60.0


def check() -> str | None:
    """Return None if pictures can be drawn here, else what is wrong and how to mend it, in one line."""
    command = [sys.executable, "-m", "sim_worker.media.test_picture_start", str(os.getpid())]
    try:
        trial = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return f"drawing one picture took longer than {TIMEOUT_S:g} s; {_mend()}"
    if trial.returncode == 0:
        return None
    complaint = trial.stderr.strip().splitlines() or [f"the drawing process ended with {trial.returncode}"]
    return f"no headless OpenGL ({complaint[-1]}); {_mend()}"


def _mend() -> str:
    return f"install Debian's packages: apt-get install --no-install-recommends {PACKAGES}"
