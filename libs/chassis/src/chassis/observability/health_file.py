"""The health of an app in a file, for a container engine that runs `python -m chassis.observability.health_file FILE`.

The engine does so every few seconds, so that this module imports the standard library alone.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

WRITE_EVERY_S = 5.0
STALE_S = 30.0
"""A process that has not written for so long hangs."""


async def write_health(health: Callable[[], Awaitable[list[str]]], path: Path, every_s: float = WRITE_EVERY_S) -> None:
    """Write the problems of an app, one per line, again and again."""
    new = path.with_suffix(".new")
    while True:
        problems = await health()
        with suppress(OSError):  # a full disk must not end the service; the file gets stale meanwhile
            new.write_text("".join(f"{problem}\n" for problem in problems), encoding="utf-8")
            new.replace(path)
        await asyncio.sleep(every_s)


def read_problems(path: Path, stale_s: float = STALE_S) -> list[str]:
    """Return the problems in the file; a file that is missing or stale is a problem, too."""
    try:
        age_s = time.time() - path.stat().st_mtime
        problems = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return [f"{path} does not exist: the service has not started"]
    return [*problems, *([f"the service has not reported for {age_s:.0f} s"] if age_s > stale_s else [])]


def main() -> int:
    """Print the problems in the file that the one argument names; return 1 if there are any."""
    problems = read_problems(Path(sys.argv[1]))
    sys.stdout.write("".join(f"{problem}\n" for problem in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
