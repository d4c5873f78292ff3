"""The `millwright` command as a process of its own, over a data folder of its own."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.processes import descendants

LAST_OUTPUT_S = 5.0
"""Time for the last lines to arrive; a process that survives the command would keep its output open."""
RUN_ID = re.compile(r"\brun ([0-9a-f-]{36})")


@dataclass(frozen=True)
class Line:
    """A printed line."""

    at_s: float
    """On the monotonic clock."""
    text: str


class Command:
    """A started command and its output so far."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines: list[Line] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait for its end and the rest of its output; return its exit code."""
        exit_code = self.process.wait(timeout_s)
        self._reader.join(LAST_OUTPUT_S)
        return exit_code

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for raw in output:
                self.lines.append(Line(time.monotonic(), raw.decode(errors="replace").rstrip("\n")))

    @property
    def printed(self) -> str:
        """Its whole output so far."""
        return "\n".join(line.text for line in list(self.lines))

    @property
    def run_id(self) -> str | None:
        """The id of its run, once it has printed that."""
        found = RUN_ID.search(self.printed)
        return found[1] if found else None

    def child(self, text: str) -> int | None:
        """Return the process id of a descendant whose command line contains a text."""
        return next((process.pid for process in descendants(self.process.pid) if text in process.command), None)


@contextmanager
def start_command(folder: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> Generator[Command]:
    """Run `millwright` with its data in `folder`; it is killed when the block ends."""
    process = subprocess.Popen(
        (sys.executable, "-m", "cli", *arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env={**os.environ, **(environment or {}), "MILLWRIGHT_DATA": str(folder / "data"), "PYTHONUNBUFFERED": "1"},
    )
    command = Command(process)
    try:
        yield command
    finally:
        process.kill()
        command.wait()
