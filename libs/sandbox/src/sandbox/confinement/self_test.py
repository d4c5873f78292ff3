"""Self-test of the sandbox: `python -m sandbox.confinement.self_test` confines a child, which imports a module."""

import importlib
import os
import sys
import tempfile
from pathlib import Path

from sandbox.confinement.confine import Confinement, SandboxError, confine
from sandbox.confinement.uids import allocate_user

LATE_IMPORTS = ("xml.dom.minidom", "pydantic.networks")
"""Not imported before, so a confined process must read them: one of the interpreter, one of the installed packages."""


def problem_of_child(workspace: Path, user: int | None) -> str | None:
    """Confine this process for good; return why that or an import failed."""
    try:
        confine(Confinement(workspace, user=user), os.getppid())
        for module in LATE_IMPORTS:
            importlib.import_module(module)
    except (OSError, SandboxError, ImportError) as error:
        return str(error)
    return None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="sandbox-self-test-") as folder:
        child_user = allocate_user()
        if child_user is not None:
            os.chown(folder, child_user, child_user)
        pid = os.fork()  # the child gives up its rights, this process needs them to remove the folder
        if pid == 0:
            problem = problem_of_child(Path(folder), child_user)
            if problem:
                sys.stderr.write(f"{problem}\n")
                sys.stderr.flush()
            os._exit(1 if problem else 0)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.exit(code)
