"""The three servers together."""

import asyncio
import contextlib
import fcntl
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from local_stack.errors import UserError
from local_stack.processes.supervisor import Supervisor
from local_stack.servers import postgres_home
from local_stack.servers.nats import Nats
from local_stack.servers.ports import free_ports
from local_stack.servers.postgres import Postgres
from local_stack.servers.seaweedfs import PORT_OPTIONS, SeaweedFs
from local_stack.servers.secrets import read_secrets, write_private

ALL = ("nats-server", "postgres", "seaweedfs")
PORTS = 2 + len(PORT_OPTIONS)


@dataclass(frozen=True)
class S3:
    """How to reach S3."""

    endpoint: str
    """`host:port`, plain HTTP."""
    access_key: str
    secret_key: str


class ServerStack:
    """NATS, Postgres and S3 on free loopback ports, with all data (but root's Postgres) under one folder.

    `async with ServerStack(folder) as servers:` also restarts what dies; `start()` and `stop()` do without a loop.
    Both belong in the main thread.
    """

    def __init__(self, folder: Path, supervisor: Supervisor | None = None, only: Sequence[str] = ALL) -> None:
        """Open nothing yet. Give a supervisor to have it watch more than the servers; `only` some need be started."""
        self.folder = folder.resolve()
        self.supervisor = supervisor or Supervisor()
        self._only = only
        self._lock: int | None = None
        self._watching: asyncio.Task[None] | None = None

    @property
    def nats_url(self) -> str:
        """For `NATS_URL`, with its password."""
        return self._nats.url

    @property
    def database_url(self) -> str:
        """For `DATABASE_URL`, with its password; the role may create databases."""
        return self._postgres.url

    @property
    def s3(self) -> S3:
        """For `S3_ENDPOINT` and its keys. There is no bucket yet."""
        return S3(self._seaweedfs.endpoint, self._seaweedfs.access_key, self._seaweedfs.secret_key)

    def environment(self) -> dict[str, str]:
        """Return the variables by which services join these servers."""
        return {
            "NATS_URL": self.nats_url,
            "DATABASE_URL": self.database_url,
            "S3_ENDPOINT": self.s3.endpoint,
            "S3_ACCESS_KEY": self.s3.access_key,
            "S3_SECRET_KEY": self.s3.secret_key,
            "ARTIFACTS_SPOOL": str(self.folder / "spool"),
        }

    def start(self) -> Self:
        """Start all three and return when all work."""
        self.launch()
        try:
            self.supervisor.wait_until_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def launch(self) -> None:
        """Start all three; `supervisor.wait_until_ready()` waits for them."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._take()
            self._choose()
        except OSError as error:
            raise UserError(f"cannot keep data in {self.folder}: {error.strerror}; choose another folder") from error
        try:
            self.supervisor.launch(
                [server for server in (self._nats, self._postgres, self._seaweedfs) if server.name in self._only]
            )
        except BaseException:
            self._release()
            raise

    def stop(self) -> None:
        """End all three in order."""
        self.supervisor.stop()
        self._release()

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def erase(self) -> None:
        """After `stop`: remove what root keeps outside of the folder. For tests; the folder itself is the caller's."""
        postgres_home.erase(self._stack)

    def pids(self) -> dict[str, int]:
        """Return the process ids by server."""
        return self.supervisor.pids()

    async def __aenter__(self) -> Self:
        """Start, and restart from now on what dies."""
        self.start()
        self._watching = asyncio.create_task(self.supervisor.watch(), name="watch servers")
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Stop."""
        if self._watching is not None:
            self._watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watching
        self.stop()

    def _take(self) -> None:
        """Hold the folder as long as this process lives."""
        lock = os.open(self.folder / "servers.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise UserError(
                f"another millwright runs its servers in {self.folder}; end it or choose another folder"
            ) from None
        self._lock = lock

    def _choose(self) -> None:
        """Settle passwords and ports, and remember them."""
        remembered = self.folder / "secrets.json"
        keys = read_secrets(remembered)
        ports = free_ports(PORTS, keys.ports)
        write_private(remembered, keys.model_copy(update={"ports": ports}).model_dump_json())
        logs = self.folder / "logs"
        logs.mkdir(exist_ok=True)
        self._stack = keys.stack
        self._nats = Nats(self.folder / "nats", ports[0], keys.nats_password, logs / "nats-server.log")
        place = postgres_home.prepare_home(self.folder, keys.stack)
        self._postgres = Postgres(place, ports[1], keys.postgres_password, logs / "postgres.log")
        self._seaweedfs = SeaweedFs(
            self.folder / "seaweedfs", ports[2:], keys.s3_access_key, keys.s3_secret_key, logs / "seaweedfs.log"
        )
