"""Environments that hold only some distributions of the workspace and their dependencies."""

import atexit
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

ROOT = Path(__file__).parents[2]
UV = ROOT / ".millwright" / "uv" / "bin" / "uv"


@cache
def isolated_python(*distributions: str) -> Path:
    """Return the Python of a new environment with these distributions, at the versions of uv.lock."""
    folder = Path(mkdtemp(prefix="isolated-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    packages = [f"--package={name}" for name in distributions]
    subprocess.run(
        [UV, "sync", "--quiet", "--frozen", "--no-dev", "--no-editable", *packages],
        cwd=ROOT,
        env=os.environ | {"UV_PROJECT_ENVIRONMENT": str(folder)},
        check=True,
    )
    return folder / "bin" / "python"
