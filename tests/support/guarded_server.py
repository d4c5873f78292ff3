"""A NATS server with permissions, and raw connections to it as its users."""

# pyright: reportUnknownMemberType=false
# nats-py does not type some of its options.

import asyncio
import os
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from chassis.administration.permissions import Permissions, authorization
from chassis.administration.provisioning import provision
from chassis.settings import BusSettings
from chassis.stream.connection import inbox_of
from local_stack.servers.binaries import script
from local_stack.servers.ports import LOOPBACK, free_ports
from nats.aio.client import Client
from nats.js import JetStreamContext

PASSWORD = "secret-of-"


@dataclass(frozen=True)
class GuardedServer:
    """Address, log and credentials of the server."""

    port: int
    log: Path

    def url(self, user: str) -> str:
        """Return the `NATS_URL` of a service."""
        return f"nats://{user}:{PASSWORD}{user}@{LOOPBACK}:{self.port}"

    def violations(self) -> list[str]:
        """Return the log lines about refusals so far."""
        return [line for line in self.log.read_text("utf-8").splitlines() if "Violation" in line]

    def settings(self, user: str) -> BusSettings:
        """Return the bus settings of a service."""
        return BusSettings(nats_url=self.url(user), bus_connect_timeout_s=20.0)


@contextmanager
def started_guarded_server(folder: Path, permissions: Sequence[Permissions]) -> Generator[GuardedServer]:
    """Run a NATS server with these users and a stream."""
    server = GuardedServer(free_ports(1)[0], folder / "log")
    passwords = {each.password_variable: f"{PASSWORD}{each.user}" for each in permissions}
    command = [str(script("nats-server")), "--config", str(_configuration(folder, server.port, permissions))]
    process = subprocess.Popen([*command, "--log", str(server.log)], env=os.environ | passwords)
    try:
        asyncio.run(provision(server.settings("admin")))
        yield server
    finally:
        process.terminate()
        process.wait()


def _configuration(folder: Path, port: int, permissions: Sequence[Permissions]) -> Path:
    lines = (
        f'listen: "{LOOPBACK}:{port}"',
        f'jetstream {{ store_dir: "{folder}", sync_interval: always }}',
        authorization(list(permissions)),
    )
    path = folder / "nats-server.conf"
    path.write_text("\n".join(lines))
    return path


class RawConnection:
    """A connection as a service's user without the chassis, as an attacker with its password would have."""

    def __init__(self) -> None:
        self._client = Client()
        self._refusals: list[str] = []

    async def connect(self, server: GuardedServer, user: str) -> None:
        """Connect with the user's own inbox."""
        await self._client.connect(server.url(user), inbox_prefix=inbox_of(user), error_cb=self._record_refusal)

    async def close(self) -> None:
        """Disconnect."""
        await self._client.close()

    @property
    def js(self) -> JetStreamContext:
        """JetStream as this user."""
        return self._client.jetstream()

    async def refused_publishing(self, subjects: Iterable[str]) -> set[str]:
        """Publish to all subjects; return those that the server refused."""
        return await self._refused("publish", subjects, lambda subject: self._client.publish(subject, b"{}"))

    async def refused_subscribing(self, subjects: Iterable[str]) -> set[str]:
        """Subscribe to all subjects; return those that the server refused."""
        return await self._refused("subscription", subjects, self._subscribe)

    async def _subscribe(self, subject: str) -> None:
        await self._client.subscribe(subject)

    async def _refused(
        self, action: str, subjects: Iterable[str], attempt: Callable[[str], Awaitable[object]]
    ) -> set[str]:
        attempted = list(subjects)
        for subject in attempted:
            await attempt(subject)
        last = f"never.allowed.{uuid4()}"
        await self._client.publish(last, b"")
        # Refusals arrive in order, but later than the reply to a flush.
        while not _is_refused(self._refusals, "publish", last):  # noqa: ASYNC110 - a callback appends to the list
            await asyncio.sleep(0.005)
        return {subject for subject in attempted if _is_refused(self._refusals, action, subject)}

    async def _record_refusal(self, error: Exception) -> None:
        self._refusals.append(str(error))


def _is_refused(refusals: list[str], action: str, subject: str) -> bool:
    """Return whether the server refused an action; nats-py converts the server's text to lower case."""
    return f'nats: permissions violation for {action} to "{subject.lower()}"' in refusals


@asynccontextmanager
async def connected_as(server: GuardedServer, user: str) -> AsyncGenerator[RawConnection]:
    """Connect as a service's user."""
    connection = RawConnection()
    await connection.connect(server, user)
    try:
        yield connection
    finally:
        await connection.close()
