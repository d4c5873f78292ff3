"""The sandbox: what the kernel offers, and whether a confined child can live here."""

import subprocess
import sys

from sandbox.confinement.confine import missing_features
from sandbox.confinement.landlock import abi

from doctor.check import Check, CheckFailure, failed, passed

PATIENCE_S = 60.0


def check_kernel_features() -> Check:
    """Landlock and seccomp."""
    found = [_split(each) for each in missing_features()]
    if found:
        return Check(group="sandbox", name="kernel features", failures=tuple(found))
    return passed("sandbox", "kernel features", f"Landlock ABI {abi()}, seccomp")


def check_confinement() -> Check:
    """A child is confined, for real, and still imports what it needs; what is forbidden stays so."""
    command = [sys.executable, "-m", "sandbox.confinement.self_test"]
    try:
        trial = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        mend = "see whether something traces or stops processes on this machine"
        return failed("sandbox", "confined child", "a trial child hangs", mend, f"after {PATIENCE_S:g} s")
    if trial.returncode == 0:
        return passed("sandbox", "confined child", "lives, and leaks nothing")
    said = (trial.stderr.strip().splitlines() or [f"it ended with {trial.returncode}"])[-1]
    mend = "use Linux 5.19 or newer, and a container runtime that does not filter Landlock and seccomp"
    return failed("sandbox", "confined child", "no child can be confined", mend, said)


def _split(told: str) -> CheckFailure:
    what, _, mend = told.partition(": ")
    return CheckFailure(what=what, fix=mend or "use Linux on x86-64")
