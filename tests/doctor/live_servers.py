"""Real servers as a subject for faults."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from uuid import uuid4

import nats
from chassis.administration.provisioning import provision
from chassis.settings import BusSettings
from chassis.subjects import STREAM
from doctor import Check, run_server_checks
from doctor.target import Target
from local_stack.servers.ports import LOOPBACK, free_ports
from local_stack.service_apps import build_apps
from local_stack.settings import CliSettings
from nats.js import JetStreamContext
from nats.js.errors import NotFoundError
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from store.inspection import DatabaseState
from store.inspection import inspect as inspect_database
from store.migrate import migrate
from store.settings import DatabaseSettings


class LiveServers:
    """Healthy servers, and how to break them; all is undone after the test."""

    def __init__(self, environment: Mapping[str, str], folder: Path, cleanup: AsyncExitStack) -> None:
        self.environment = dict(environment)
        self.folder = folder
        self.cleanup = cleanup

    def target(self, **replaced: str) -> Target:
        """Return the servers as a target, with some variables replaced."""
        return Target(CliSettings(), "external", {**self.environment, **replaced})

    async def jetstream(self) -> JetStreamContext:
        """Return the broker's JetStream, which has no stream after the test."""
        client = await nats.connect(self.environment["NATS_URL"])
        self.cleanup.push_async_callback(client.close)
        js = client.jetstream()

        async def delete_stream() -> None:
            with suppress(NotFoundError):
                await js.delete_stream(STREAM)

        self.cleanup.push_async_callback(delete_stream)
        return js

    async def provision(self) -> JetStreamContext:
        """Create the stream."""
        js = await self.jetstream()
        await provision(BusSettings(nats_url=self.environment["NATS_URL"]))
        return js

    async def add_consumers(self) -> JetStreamContext:
        """Create the stream and every consumer that the services declare."""
        js = await self.provision()
        for app in build_apps(self.environment):
            for planned in app.planned_consumers:
                if planned.stream == STREAM:
                    await js.add_consumer(STREAM, config=planned.config)
        return js

    async def publish(self, js: JetStreamContext, count: int = 1) -> None:
        """Publish messages that critic consumes."""
        for _ in range(count):
            await js.publish(f"mw.plan.proposed.{uuid4()}.planner.{uuid4()}", b"{}")

    async def execute(self, statement: str) -> None:
        """Execute SQL in the database."""
        engine = create_async_engine(DatabaseSettings(database_url=self.environment["DATABASE_URL"]).asyncpg_url)
        async with engine.begin() as connection:
            await connection.execute(text(statement))
        await engine.dispose()

    async def migrate(self) -> None:
        """Bring the tables to the version of this code."""
        await migrate(DatabaseSettings(database_url=self.environment["DATABASE_URL"]))

    async def database(self) -> DatabaseState:
        """Return the database's state."""
        return await inspect_database(DatabaseSettings(database_url=self.environment["DATABASE_URL"]), 5)

    async def checks(self) -> list[Check]:
        """Run all checks of servers."""
        return await run_server_checks(self.target())

    async def check(self, name: str) -> Check:
        """Run all checks of servers, and return the one of this name."""
        return next(check for check in await self.checks() if check.name == name)

    @asynccontextmanager
    async def silent_server(self) -> AsyncGenerator[str]:
        """Yield the address of a server that accepts connections and never answers."""
        with socket.create_server((LOOPBACK, 0)) as server:
            yield f"{LOOPBACK}:{server.getsockname()[1]}"


Inject = Callable[[LiveServers], Awaitable[Check]]


def unused_address() -> str:
    """Return an address where no server listens."""
    return f"{LOOPBACK}:{free_ports(1)[0]}"
