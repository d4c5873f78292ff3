"""Servers and all services, each a process of its own under our supervisor, and our own way in."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.app import App
from chassis.bus import Bus
from chassis.settings import BusSettings
from chassis.stream.provisioning import provision
from local_stack.processes.supervisor import Supervisor
from local_stack.servers.server_stack import ALL, ServerStack
from local_stack.services import EMBEDDED, WORKERS, ServiceProcess
from local_stack.settings import inherited_environment
from store.database import Database
from store.log import EventLog
from store.migrate import migrate
from store.settings import DatabaseSettings

from perf.undying import Undying


@dataclass(frozen=True)
class House:
    """What a campaign needs of it."""

    supervisor: Supervisor
    bus: Bus
    artifacts: Artifacts
    log: EventLog
    victims: tuple[str, ...] = (*EMBEDDED, *WORKERS, *ALL)
    """Everybody who can be killed."""


@asynccontextmanager
async def house(folder: Path, settings: Mapping[str, str]) -> AsyncGenerator[House]:
    """Start everything, services with these settings in their environment; it is gone when the block ends."""
    supervisor = Undying()
    servers = ServerStack(folder, supervisor)
    try:
        servers.start()
        environment = {**servers.environment(), "ARTIFACTS_SPOOL": str(folder / "spool"), **settings}
        await migrate(DatabaseSettings(database_url=servers.database_url))
        await provision(BusSettings(nats_url=servers.nats_url))
        everything = {**inherited_environment(), **environment}
        supervisor.launch([ServiceProcess(name, everything, folder / "logs") for name in (*EMBEDDED, *WORKERS)])
        async with _watched(supervisor), _clients(environment) as (app, artifacts, database):
            await asyncio.to_thread(supervisor.wait_until_ready)
            yield House(supervisor, app.bus, artifacts, EventLog(database.engine))
    finally:
        servers.stop()
        servers.erase()


@asynccontextmanager
async def _clients(environment: Mapping[str, str]) -> AsyncGenerator[tuple[App, Artifacts, Database]]:
    given = {name.lower(): value for name, value in environment.items()}
    app, artifacts = App("campaign", BusSettings.model_validate(given)), Artifacts(S3Settings.model_validate(given))
    app.stores_large_fields_in(artifacts)
    database = Database(DatabaseSettings.model_validate(given))
    for each in (artifacts, database, app):
        await each.start()
    try:
        yield app, artifacts, database
    finally:
        for each in (app, database, artifacts):
            await each.stop()


@asynccontextmanager
async def _watched(supervisor: Supervisor) -> AsyncGenerator[None]:
    watching = asyncio.create_task(supervisor.watch())
    try:
        yield
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
