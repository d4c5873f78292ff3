"""The `millwright` command as a process of its own, over a data folder of its own."""

import os
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from perf.mortality.processes import family


@dataclass(frozen=True)
class Command:
    """A started command; what it prints goes to a file."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def printed(self) -> str:
        """What it has printed so far."""
        return self.log.read_text(errors="replace")

    def child(self, words: str) -> int | None:
        """Return the process id of a descendant whose command line holds these words."""
        return next((process.pid for process in family(self.process.pid) if words in process.command), None)


@contextmanager
def started(folder: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> Generator[Command]:
    """Run `millwright` with its data and its log in `folder`; it is gone when the block ends."""
    log = folder / "printed.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            (sys.executable, "-m", "cli", *arguments),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, **(environment or {}), "MILLWRIGHT_DATA": str(folder / "data")},
        )
    try:
        yield Command(process, log)
    finally:
        process.kill()
        process.wait()
