"""`./run test-deploy wheels`: makes a release, and uses its wheel by uvx in an empty folder outside of the checkout.

It examines the machine and solves the demo with a home and a cache of its own; root does so as an ordinary user. Exit
code 1 if a command fails. Third-party packages have the versions of the lock, and come from the package index.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.architecture.repository import ROOT
from tools import release

COMMANDS = (("--version",), ("doctor",), ("demo",))
HIDDEN = ("MILLWRIGHT_", "NATS_URL", "DATABASE_URL", "S3_", "PYTHONPATH", "VIRTUAL_ENV", "XDG_", "UV_CACHE_DIR")
"""How variables begin that would lead the command back to the checkout, or to other servers."""
ORDINARY_USER = 65534


def main() -> int:
    """Make the release, run the commands; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="millwright-wheels-") as temporary:
        folder = Path(temporary)
        release.main(folder / "dist")
        for program in ("uv", "uvx"):
            shutil.copy(ROOT / ".millwright/uv/bin" / program, folder)
        (folder / "empty").mkdir()
        codes = [_run(folder, *each) for each in COMMANDS]
        has_delivered = (folder / "empty/out/demo/report.md").exists()
        has_data = (folder / ".local/share/millwright/secrets.json").exists()
    if any(codes) or not has_delivered or not has_data:
        sys.stderr.write(f"test-deploy: exit codes {codes}, delivered: {has_delivered}, data outside: {has_data}\n")
        return 1
    return 0


def _run(folder: Path, *arguments: str) -> int:
    (wheel,) = (folder / "dist").glob("*.whl")
    line = [str(folder / "uvx"), "--quiet", "--python", "{}.{}".format(*sys.version_info), "--constraints"]
    line += [str(folder / "dist/constraints.txt"), "--from", str(wheel), "millwright", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(HIDDEN)}
    user = None
    if os.geteuid() == 0:
        user = ORDINARY_USER
        for path in (folder, *folder.rglob("*")):
            os.chown(path, user, user, follow_symlinks=False)
    began = time.monotonic()
    done = subprocess.run(
        line,
        cwd=folder / "empty",
        env=environment | {"HOME": str(folder)},
        check=False,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
    )
    sys.stderr.write(f"test-deploy: {' '.join(arguments)}: {time.monotonic() - began:.0f} s\n")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
