"""What faults of servers are injected with: real servers, some of which are named otherwise."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from uuid import uuid4

import nats
from chassis.settings import BusSettings
from chassis.stream.provisioning import provision
from chassis.stream.subjects import STREAM
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


class Site:
    """Real servers that are well, and what faults are injected with."""

    def __init__(self, named: Mapping[str, str], folder: Path, undoing: AsyncExitStack) -> None:
        self.named = dict(named)
        self.folder = folder
        self.undoing = undoing

    def but(self, **named: str) -> Target:
        """Return servers, some of which are named otherwise."""
        return Target(CliSettings(), "named", {**self.named, **named})

    async def jetstream(self) -> JetStreamContext:
        """Return the broker's, which has no stream afterwards."""
        client = await nats.connect(self.named["NATS_URL"])
        self.undoing.push_async_callback(client.close)
        js = client.jetstream()

        async def without_a_stream() -> None:
            with suppress(NotFoundError):
                await js.delete_stream(STREAM)

        self.undoing.push_async_callback(without_a_stream)
        return js

    async def provisioned(self) -> JetStreamContext:
        """Return the broker's, with our stream on it."""
        js = await self.jetstream()
        await provision(BusSettings(nats_url=self.named["NATS_URL"]))
        return js

    async def with_consumers(self) -> JetStreamContext:
        """Return the broker's, with our stream and every consumer that the services plan."""
        js = await self.provisioned()
        for app in build_apps(self.named):
            for config in app.planned_consumers:
                await js.add_consumer(STREAM, config=config)
        return js

    async def said(self, js: JetStreamContext, count: int = 1) -> None:
        """Publish what critic must read."""
        for _ in range(count):
            await js.publish(f"mw.plan.proposed.{uuid4()}.planner.{uuid4()}", b"{}")

    async def tell(self, statement: str) -> None:
        """Change something in the database."""
        engine = create_async_engine(DatabaseSettings(database_url=self.named["DATABASE_URL"]).asyncpg_url)
        async with engine.begin() as connection:
            await connection.execute(text(statement))
        await engine.dispose()

    async def migrated(self) -> None:
        """Bring the tables to our version."""
        await migrate(DatabaseSettings(database_url=self.named["DATABASE_URL"]))

    async def database(self) -> DatabaseState:
        """Return what is seen of the database."""
        return await inspect_database(DatabaseSettings(database_url=self.named["DATABASE_URL"]), 5)

    async def found(self, name: str) -> Check:
        """Look at all the servers and at what lies on them; return what this check found."""
        return next(check for check in await self.examined() if check.name == name)

    async def examined(self) -> list[Check]:
        """Look at all the servers and at what lies on them."""
        return await run_server_checks(self.but())

    @asynccontextmanager
    async def silence(self) -> AsyncGenerator[str]:
        """Yield the address of somebody who listens and never says a word."""
        with socket.create_server((LOOPBACK, 0)) as server:
            yield f"{LOOPBACK}:{server.getsockname()[1]}"


Inject = Callable[[Site], Awaitable[Check]]


def nobody_there() -> str:
    """Return an address where nobody listens."""
    return f"{LOOPBACK}:{free_ports(1)[0]}"
