"""A child process that dies with this process."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

LAUNCHER = Path(__file__).with_name("exec_tied_to_parent.py")
TAIL_LINES = 3


@dataclass(frozen=True)
class Account:
    """A user of this machine."""

    uid: int
    gid: int


@dataclass(frozen=True)
class ProcessSpec:
    """What to start, and how to stop it."""

    name: str
    command: tuple[str, ...]
    """Begins with an absolute path."""
    folder: Path
    """The working directory."""
    log: Path
    """Its output is appended here."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """The whole environment; nothing is inherited."""
    account: Account | None = None
    """Which user it runs as; only root can choose one."""
    stop_signal: signal.Signals = signal.SIGTERM
    """Asks it to stop in order."""
    death_signal: signal.Signals = signal.SIGKILL
    """What the kernel sends it when this process dies."""
    patience_s: float = 3.0
    """How long it may take to stop in order."""

    def start(self) -> "ChildProcess":
        """Start it."""
        return ChildProcess(self)


class ChildProcess:
    """One running instance of a program, in a process group of its own: Ctrl-C at the terminal reaches only us."""

    def __init__(self, spec: ProcessSpec) -> None:
        """Start it. Only the main thread may: the death signal is sent when the starting *thread* ends."""
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError(f"{spec.name} must be started from the main thread")
        self.spec = spec
        account = (str(spec.account.uid), str(spec.account.gid)) if spec.account else ("-", "-")
        launcher = (sys.executable, "-I", "-S", str(LAUNCHER), str(os.getpid()), str(int(spec.death_signal)), *account)
        with spec.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*launcher, *spec.command],
                cwd=spec.folder,
                env=dict(spec.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,
            )

    @property
    def pid(self) -> int:
        """The id of the process, and of its group."""
        return self._process.pid

    def exit_code(self) -> int | None:
        """Return the exit code, negative for a signal; None while it runs."""
        return self._process.poll()

    def request_stop(self) -> None:
        """Send the stop signal; do not wait."""
        if self.exit_code() is None:
            self._process.send_signal(self.spec.stop_signal)

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
        """Return the end of its log as one line, for an error message."""
        lines = self.spec.log.read_text(errors="replace").splitlines()[-TAIL_LINES:]
        return " | ".join(line.strip() for line in lines if line.strip()) or "it logged nothing"
