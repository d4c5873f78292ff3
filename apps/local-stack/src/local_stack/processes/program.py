"""A program that we start, tied to our own life."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from local_stack.processes.unprivileged import User

TETHER = Path(__file__).with_name("exec_tied_to_parent.py")
TAIL_LINES = 3


@dataclass(frozen=True)
class ProcessSpec:
    """What to start, and how to end it."""

    name: str
    command: tuple[str, ...]
    """The first word is an absolute path."""
    folder: Path
    """Where it runs."""
    log: Path
    """Where its output is appended."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """All it gets; nothing is inherited."""
    user: User | None = None
    """Whom it runs as, if not as ourselves. Only root can choose."""
    stop_signal: signal.Signals = signal.SIGTERM
    """Asks it to end in order."""
    death_signal: signal.Signals = signal.SIGKILL
    """What the kernel sends it when we die."""
    patience_s: float = 3.0
    """How long it may take to end in order."""


class ChildProcess:
    """One running instance of a program, in a process group of its own: Ctrl-C at the terminal reaches only us."""

    def __init__(self, program: ProcessSpec) -> None:
        """Start it. Only the main thread may: the kernel counts the death of the starting *thread*."""
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError(f"{program.name} must be started from the main thread")
        self.program = program
        user = (str(program.user.uid), str(program.user.gid)) if program.user else ("-", "-")
        tether = (sys.executable, "-I", "-S", str(TETHER), str(os.getpid()), str(int(program.death_signal)), *user)
        with program.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*tether, *program.command],
                cwd=program.folder,
                env=dict(program.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,
            )

    @property
    def pid(self) -> int:
        """Of the process, and of its group."""
        return self._process.pid

    def exit_code(self) -> int | None:
        """Return how it ended, None while it runs."""
        return self._process.poll()

    def request_stop(self) -> None:
        """Ask it to end in order; do not wait."""
        if self.exit_code() is None:
            self._process.send_signal(self.program.stop_signal)

    def end_by(self, deadline: float) -> None:
        """Wait for it until `deadline` (of the monotonic clock), then kill whatever is left of its group."""
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def log_tail(self) -> str:
        """Return the end of its log, for an error that has to fit in one line."""
        lines = self.program.log.read_text(errors="replace").splitlines()[-TAIL_LINES:]
        return " | ".join(line.strip() for line in lines if line.strip()) or "it said nothing"
