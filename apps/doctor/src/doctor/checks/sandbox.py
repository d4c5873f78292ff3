"""Checks of the sandbox: the kernel features it needs, and one confined child."""

import subprocess
import sys

from sandbox.confinement.confine import missing_features
from sandbox.confinement.landlock import abi

from doctor.check import Check, CheckFailure, failed, passed

TIMEOUT_S = 60.0


def check_kernel_features() -> Check:
    """Check Landlock, seccomp and user ids."""
    failures = [_failure(each) for each in missing_features()]
    if failures:
        return Check(group="sandbox", name="kernel features", failures=tuple(failures))
    return passed("sandbox", "kernel features", f"Landlock ABI {abi()}, seccomp")


def check_confinement() -> Check:
    """Check that a confined child starts, imports its packages, and is denied forbidden operations."""
    command = [sys.executable, "-m", "sandbox.confinement.self_test"]
    try:
        test = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        fix = "find out whether another program traces or stops processes on this machine"
        return failed("sandbox", "confined child", "the confined child hangs", fix, f"after {TIMEOUT_S:g} s")
    if test.returncode == 0:
        return passed("sandbox", "confined child", "works, and its confinement holds")
    measured = (test.stderr.strip().splitlines() or [f"it ended with {test.returncode}"])[-1]
    fix = "use Linux 5.19 or newer, and a container runtime that does not filter Landlock and seccomp"
    return failed("sandbox", "confined child", "no child can be confined", fix, measured)


def _failure(missing: str) -> CheckFailure:
    what, _, fix = missing.partition(": ")
    return CheckFailure(what=what, fix=fix or "use Linux on x86-64")
