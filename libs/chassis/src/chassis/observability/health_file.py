"""An app's health told to somebody outside of its process, such as a container engine: in a file, by `python -m`.

Whoever looks runs every few seconds, so that nothing but the standard library is imported here.
"""

import asyncio
import sys
import time
from pathlib import Path
from typing import Protocol

EVERY_S = 5.0
STALE_S = 30.0
"""A process that has said nothing for so long hangs."""


class Examined(Protocol):
    """Something that can say what is wrong with it."""

    async def health(self) -> list[str]:
        """Return what is wrong, in words."""
        ...


async def write_health(app: Examined, path: Path, every_s: float = EVERY_S) -> None:
    """Write what is wrong with an app into a file, again and again: a line for each problem, none if it is well."""
    aside = path.with_suffix(".new")
    while True:
        problems = await app.health()
        aside.write_text("".join(f"{problem}\n" for problem in problems), encoding="utf-8")
        aside.replace(path)
        await asyncio.sleep(every_s)


def read_problems(path: Path, stale_s: float = STALE_S) -> list[str]:
    """Return what the file says is wrong; that there is none, or only an old one, is wrong, too."""
    try:
        age_s = time.time() - path.stat().st_mtime
        told = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return [f"{path} is not there: the service has not started"]
    return [*told, *([f"the service has said nothing for {age_s:.0f} s"] if age_s > stale_s else [])]


def main() -> int:
    """Print what is wrong; return 1 if anything is. The one argument is the file."""
    problems = read_problems(Path(sys.argv[1]))
    sys.stdout.write("".join(f"{problem}\n" for problem in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
