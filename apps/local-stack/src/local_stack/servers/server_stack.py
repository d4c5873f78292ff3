"""NATS, Postgres and S3 as one stack of servers."""

import asyncio
import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from contracts.settings import COMMAND
from store.users import USERS

from local_stack.data_folder import acquire_lock, create_private, write_private
from local_stack.errors import UserError
from local_stack.processes.supervisor import Supervisor
from local_stack.servers import postgres_home
from local_stack.servers.nats import Nats
from local_stack.servers.ports import PortClaim, claim_ports, release
from local_stack.servers.postgres import Postgres
from local_stack.servers.seaweedfs import PORT_OPTIONS, SeaweedFs
from local_stack.servers.secrets import SECRETS, Secrets, read_secrets
from local_stack.servers.stack_records import erase, record_stack, require_identity

ALL = ("nats-server", "postgres", "seaweedfs")
PORTS = 2 + len(PORT_OPTIONS)


@dataclass(frozen=True)
class S3Access:
    """Address and keys of the S3 server."""

    endpoint: str
    """`host:port`, plain HTTP."""
    access_key: str
    secret_key: str


class ServerStack:
    """NATS, Postgres and S3 on free loopback ports, with all data (except root's Postgres) under one folder.

    `async with ServerStack(folder) as servers:` also restarts what dies; `start()` and `stop()` need no event loop.
    Call both from the main thread.
    """

    def __init__(self, folder: Path, supervisor: Supervisor | None = None, only: Sequence[str] = ALL) -> None:
        """Start nothing yet. `supervisor` may supervise other programs too; `only` names the servers to start."""
        self.folder = folder.resolve()
        self.supervisor = supervisor or Supervisor()
        self._only = only
        self._lock: int | None = None
        self._claims: tuple[PortClaim, ...] = ()
        self._watching: asyncio.Task[None] | None = None

    @property
    def nats_url(self) -> str:
        """The value for `NATS_URL`, with its password."""
        return self._nats.url

    @property
    def database_url(self) -> str:
        """The value for `DATABASE_URL` of the superuser, for migrations and the user's commands."""
        return self._postgres.url

    def database_passwords(self) -> dict[str, str]:
        """Return the passwords by database user; the users themselves need not exist yet."""
        return {user: self._secrets.database_password(user) for user in USERS}

    @property
    def s3(self) -> S3Access:
        """The values for `S3_ENDPOINT` and its keys. The bucket does not exist yet."""
        return S3Access(self._seaweedfs.endpoint, self._seaweedfs.access_key, self._seaweedfs.secret_key)

    def disk_folders(self) -> tuple[Path, ...]:
        """Return the folders whose disks the servers fill; each may be a mount point."""
        return (self.folder, self._postgres.home.folder, self._nats.folder, self._seaweedfs.folder)

    def environment(self) -> dict[str, str]:
        """Return the variables that name these servers to services."""
        return {
            "NATS_URL": self.nats_url,
            "DATABASE_URL": self.database_url,
            "S3_ENDPOINT": self.s3.endpoint,
            "S3_ACCESS_KEY": self.s3.access_key,
            "S3_SECRET_KEY": self.s3.secret_key,
            "ARTIFACTS_SPOOL": str(self.folder / "spool"),
            "DISK_FOLDERS": os.pathsep.join(map(str, self.disk_folders())),
        }

    def start(self) -> Self:
        """Start the servers and return when they work."""
        self.launch()
        try:
            self.supervisor.wait_until_ready()
        except OSError as error:
            self.stop()
            raise UserError(f"the servers cannot write to {self.folder}: {error.strerror}") from error
        except BaseException:
            self.stop()
            raise
        return self

    def launch(self) -> None:
        """Start the servers; `supervisor.wait_until_ready()` waits for them."""
        try:
            require_identity(self.folder)
            create_private(self.folder)
            self._lock = acquire_lock(self.folder)
            self._choose_passwords_and_ports()
        except UserError:
            self._release()
            raise
        except OSError as error:
            self._release()
            raise UserError(f"cannot keep data in {self.folder}: {error.strerror}; choose another folder") from error
        try:
            # SeaweedFS takes longest to get ready, and Postgres may have to create its cluster before it starts.
            servers = (self._seaweedfs, self._nats, self._postgres)
            self.supervisor.launch([server for server in servers if server.name in self._only])
            has_database = self._secrets.has_database or self._postgres.exists()
            self._store_secrets(self._secrets.model_copy(update={"has_database": has_database}))
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the servers in order."""
        self.supervisor.stop()
        self._release()

    def _release(self) -> None:
        release(self._claims)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def erase(self) -> None:
        """After `stop`, remove root's Postgres cluster. For tests, which remove the data folder."""
        erase(self._secrets.stack)

    def pids(self) -> dict[str, int]:
        """Return the process ids by server name."""
        return self.supervisor.pids()

    async def __aenter__(self) -> Self:
        """Start the servers, and restart those that die."""
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

    def _choose_passwords_and_ports(self) -> None:
        """Create the servers with the passwords, and if they are free the ports, of the last start."""
        file = self.folder / SECRETS
        self._secrets = read_secrets(file) if file.exists() else Secrets()
        self._claims = claim_ports(PORTS, self._secrets.ports)
        ports = tuple(claim.port for claim in self._claims)
        record_stack(self.folder, self._secrets.stack)
        self._store_secrets(self._secrets.model_copy(update={"ports": ports}))
        logs = create_private(self.folder / "logs")
        secrets = self._secrets
        self._nats = Nats(self.folder / "nats", ports[0], secrets.nats_password, logs / "nats-server.log")
        home = postgres_home.prepare_home(self.folder, secrets.stack)
        self._postgres = Postgres(home, ports[1], secrets.postgres_password, logs / "postgres.log")
        if secrets.has_database and not self._postgres.exists() and self._postgres.name in self._only:
            raise UserError(
                f"the database of {self.folder} is missing: it was in {home.folder}. Bring it back from where it was; "
                f"if it is lost, `{COMMAND} stack recover` begins an empty one, into which a backup can be restored"
            )
        self._seaweedfs = SeaweedFs(
            self.folder / "seaweedfs", ports[2:], secrets.s3_access_key, secrets.s3_secret_key, logs / "seaweedfs.log"
        )

    def _store_secrets(self, changed: Secrets) -> None:
        """Store the secrets, if anything has changed."""
        file = self.folder / SECRETS
        if changed != self._secrets or not file.exists():
            write_private(file, changed.model_dump_json())
        self._secrets = changed


def has_database(folder: Path) -> bool:
    """Return whether the stack of a data folder has a database that can be started."""
    try:
        secrets = read_secrets(folder / SECRETS)
    except (OSError, UserError):
        return False
    return (postgres_home.cluster_folder(folder, secrets.stack) / "data").is_dir()
