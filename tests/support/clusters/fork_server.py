"""Services as processes without the seconds of CPU that each interpreter takes to import them.

One process, `python -m tests.support.clusters.fork_server`, imports all services and forks itself for each order, a
line of JSON. It ends with the process that uses it, and its children end with it.
"""

import os
import runpy
import select
import signal
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

from local_stack.processes.child_process import ChildProcess, ProcessSpec
from pydantic import BaseModel
from sandbox.confinement.linux import die_with_parent

ROOT = Path(__file__).parents[3]
WHOLE_LINE = 1


class Order(BaseModel):
    """What a fork runs, as `python -m MODULE ARGUMENTS`."""

    module: str
    arguments: tuple[str, ...]
    folder: Path
    log: Path
    environment: dict[str, str]


@dataclass(frozen=True)
class ForkedModule(ProcessSpec):
    """A process of a module, forked instead of started."""

    def start(self) -> ChildProcess:
        """Fork it."""
        return ForkedProcess(self)


class ForkedProcess(ChildProcess):
    """A child of the fork server, in a process group of its own."""

    def __init__(self, spec: ForkedModule) -> None:
        """Fork it."""
        _, _, module, *arguments = spec.command
        self.spec = spec
        order = Order(
            module=module,
            arguments=tuple(arguments),
            folder=spec.folder,
            log=spec.log,
            environment=dict(spec.environment),
        )
        self._pid = _fork(order)
        self._handle = os.pidfd_open(self._pid)

    @property
    def pid(self) -> int:
        """The id of the process, and of its group."""
        return self._pid

    def exit_code(self) -> int | None:
        """Return 1 when it has ended: only its parent learns how. None while it runs."""
        return 1 if self._has_ended(0.0) else None

    def request_stop(self) -> None:
        """Send the stop signal; do not wait."""
        self._send(self.spec.stop_signal)

    def end_by(self, deadline: float) -> None:
        """Wait for it until `deadline` (of the monotonic clock), then kill whatever is left of its group."""
        if not self._has_ended(max(0.0, deadline - time.monotonic())):
            self._send(signal.SIGKILL)
            self._has_ended(None)
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, number)

    def _has_ended(self, timeout_s: float | None) -> bool:
        return bool(select.select([self._handle], [], [], timeout_s)[0])


def _fork(order: Order) -> int:
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(order.model_dump_json() + "\n")
    return int(server.stdout.readline())


@cache
def _server() -> subprocess.Popen[str]:
    command = (sys.executable, "-m", "tests.support.clusters.fork_server")
    return subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=WHOLE_LINE
    )


def main() -> None:
    """Import what services need, then fork for each order."""
    die_with_parent(os.getppid(), signal.SIGKILL)
    __import__("local_stack.service_apps")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # leaves no zombies
    own_pid = os.getpid()
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _become(Order.model_validate_json(line), own_pid)
        print(pid, flush=True)  # noqa: T201 - the reply


def _become(order: Order, server_pid: int) -> NoReturn:
    """Run the module in this fork, as if it were a process of its own."""
    die_with_parent(server_pid, signal.SIGKILL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setpgid(0, 0)
    _redirect(order.log)
    os.environ.clear()
    os.environ.update(order.environment)
    os.chdir(order.folder)
    sys.argv = [order.module, *order.arguments]
    code = 1
    try:
        runpy.run_module(order.module, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
    except BaseException:  # noqa: BLE001 - shown as an interpreter shows it
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _redirect(log: Path) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    written = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    for source, target in ((nothing, 0), (written, 1), (written, 2)):
        os.dup2(source, target)


if __name__ == "__main__":
    main()
