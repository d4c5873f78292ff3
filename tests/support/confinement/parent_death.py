"""Whether a child process that is still importing dies with its killed parent."""

import subprocess
import sys
import time

from tests.support.processes import descendants, gone_within


def dies_with_parent(parent_code: str, module: str, seconds: float = 1.0) -> bool:
    """Run a program until it has started `module` in a child process, kill it, and return whether the child is gone."""
    parent = subprocess.Popen((sys.executable, "-c", parent_code))
    while (child := _child_of(parent.pid, module)) is None:
        assert parent.poll() is None
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    return gone_within([child], seconds)


def _child_of(parent: int, module: str) -> int | None:
    return next((each.pid for each in descendants(parent) if module in each.command), None)
