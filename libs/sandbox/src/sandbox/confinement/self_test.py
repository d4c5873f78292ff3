"""`python -m sandbox.confinement.self_test`: can a child be confined here, and import what it needs?"""

import importlib
import os
import sys
import tempfile
from pathlib import Path

from sandbox.confinement.confine import Confinement, SandboxError, confine
from sandbox.confinement.uids import own_user

LATE_IMPORT = "numpy.polynomial.hermite_e"
"""Not imported by anybody before, so it must be read from inside."""


def confined(workspace: Path, user: int | None) -> str | None:
    """Give up everything for good; return why that cannot be done, None if it can."""
    try:
        confine(Confinement(workspace, user=user), os.getppid())
        importlib.import_module(LATE_IMPORT)
    except (OSError, SandboxError, ImportError) as error:
        return str(error)
    return None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="millwright-trial-") as folder:
        owner = own_user()
        if owner is not None:
            os.chown(folder, owner, owner)
        # a child gives up its powers, so that we can clear up
        pid = os.fork()
        if pid == 0:
            problem = confined(Path(folder), owner)
            if problem:
                sys.stderr.write(f"{problem}\n")
                sys.stderr.flush()
            os._exit(1 if problem else 0)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.exit(code)
