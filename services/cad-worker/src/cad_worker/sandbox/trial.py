"""`python -m cad_worker.sandbox.trial FILE…`: can a child be confined here, and read what it needs? Fails if not.

The files stand for what a confined child reads; one that stays closed without root's powers lies in somebody else's
closed folder.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cad_worker.sandbox.confining import Confinement, SandboxError, confine, drop_capabilities, readable_paths


def closed(needed: Sequence[Path]) -> str | None:
    """Give up root's powers for good; return the first path that is closed now, None if none is."""
    drop_capabilities()
    for path in needed:
        try:
            os.close(os.open(path, os.O_RDONLY))
        except OSError as error:
            return f"{path} ({error.strerror})"
    return None


def confined(workspace: Path) -> str | None:
    """Give up everything for good; return why that cannot be done, None if it can."""
    try:
        confine(Confinement(workspace), os.getppid())
    except (OSError, SandboxError) as error:
        return str(error)
    return None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="millwright-trial-") as folder:
        # a child gives up its powers, so that we can clear up
        pid = os.fork()
        if pid == 0:
            paths = [*map(Path, sys.argv[1:]), *readable_paths()]
            problem = f"closed: {place}" if (place := closed(paths)) else confined(Path(folder))
            if problem:
                sys.stderr.write(f"{problem}\n")
                sys.stderr.flush()
            os._exit(1 if problem else 0)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.exit(code)
