"""A Postgres server of one test's own."""

import os
import signal
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from local_stack.processes.child_process import ChildProcess
from local_stack.servers import postgres_home
from local_stack.servers.ports import free_ports
from local_stack.servers.postgres import Postgres
from local_stack.servers.stack_records import erase

from tests.support.processes import descendants


class OwnPostgres:
    """A Postgres server that a test may stop and pause."""

    def __init__(self, folder: Path) -> None:
        self._stack = uuid4().hex
        location = postgres_home.prepare_home(folder, self._stack)
        self.postgres = Postgres(location, free_ports(1)[0], "secret", folder / "postgres.log")
        self.postgres.prepare()
        self._child: ChildProcess | None = None

    def start(self) -> None:
        self._child = ChildProcess(self.postgres.program())

    def stop(self) -> None:
        if self._child is not None:
            self._child.request_stop()
            self._child.end_by(time.monotonic() + 10)
            self._child = None

    def send(self, signal_number: signal.Signals) -> None:
        """Send a signal to the server and all of its back ends."""
        assert self._child is not None
        for pid in (self._child.pid, *(process.pid for process in descendants(self._child.pid))):
            os.kill(pid, signal_number)

    def erase(self) -> None:
        erase(self._stack)


@contextmanager
def started(folder: Path) -> Generator[OwnPostgres]:
    """Start a server in a folder; afterwards stop and erase it."""
    folder.mkdir(exist_ok=True)
    server = OwnPostgres(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        server.erase()
