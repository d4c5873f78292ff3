"""A cluster for tests and measurements: real servers, services on them, and a client.

Services run in this process (`in_process`) or as processes of their own (`Cluster.run`).
"""

import asyncio
import contextlib
import signal
import sys
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol, Self

from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.administration.provisioning import provision
from chassis.app import App
from chassis.settings import BusSettings
from chassis.stream.jetstream_bus import JetStreamBus
from contracts.envelope import SERVICES
from contracts.publishers import CLIENTS
from local_stack.errors import UserError
from local_stack.processes.child_process import ProcessSpec
from local_stack.processes.supervisor import Startable, Supervisor
from local_stack.servers.server_stack import ALL, ServerStack
from local_stack.settings import inherited_environment
from opentelemetry.trace import TracerProvider
from store.database import Database
from store.log import EventLog
from store.migrate import migrate
from store.settings import DatabaseSettings

from tests.support.clusters.fork_server import ForkedModule
from tests.support.isolated import ROOT
from tests.support.processes import signal_family

ALL_SERVICES = tuple(service for service in SERVICES if service not in CLIENTS)
FAST_REDELIVERY = {"BUS_ACK_WAIT_S": "2", "BUS_RETRY_DELAY_S": "0.2", "BUS_MAX_RETRY_DELAY_S": "1", "BUS_DRAIN_S": "1"}
"""Settings by which the messages of a killed process are soon delivered again."""
LOOK_S = 0.05
READY_S = 300.0
"""For ten processes that start at once on a busy machine."""
RESTART_PAUSE_S = 0.5
"""Between two starts of one program: Postgres needs a moment to notice that its predecessor is gone."""

Interruption = Literal["killed", "frozen"]
"""Killed and not restarted; or stopped, so that it accepts connections and answers nothing."""


class Resource(Protocol):
    """Anything that is started and stopped: an app, a database, a broker."""

    async def start(self) -> object: ...
    async def stop(self) -> object: ...


@asynccontextmanager
async def started(*resources: Resource) -> AsyncGenerator[None]:
    """Start resources in order; stop them in reverse order."""
    async with AsyncExitStack() as stack:
        for resource in resources:
            await resource.start()
            stack.push_async_callback(resource.stop)
        yield


@dataclass(frozen=True)
class Endpoints:
    """Addresses of running servers."""

    nats_url: str
    database_url: str
    s3: S3Settings

    @classmethod
    def of(cls, servers: ServerStack) -> Self:
        """Return the addresses of a server stack."""
        s3 = S3Settings(
            s3_endpoint=servers.s3.endpoint,
            s3_access_key=servers.s3.access_key,
            s3_secret_key=servers.s3.secret_key,
            artifacts_spool=servers.folder / "spool",
        )
        return cls(servers.nats_url, servers.database_url, s3)

    def settings(self, service: str = "") -> dict[str, Any]:
        """Return the fields of a service's settings."""
        return {"nats_url": self.nats_url_of(service), "database_url": self.database_url} | self.s3.model_dump()

    def nats_url_of(self, service: str) -> str:
        """Return the bus address of a service; by default all share one user."""
        return self.nats_url


class Client:
    """Bus, artifacts and event log of a cluster. A context manager."""

    def __init__(
        self, endpoints: Endpoints, service: str = "tests", tracer_provider: TracerProvider | None = None
    ) -> None:
        self.app = App(service, BusSettings(nats_url=endpoints.nats_url_of(service)), tracer_provider)
        self.artifacts = Artifacts(endpoints.s3)
        self.app.stores_large_fields_in(self.artifacts)
        self._database = Database(DatabaseSettings(database_url=endpoints.database_url))
        self.log = EventLog(self._database.engine)

    @property
    def bus(self) -> JetStreamBus:
        """The bus, from the start on."""
        assert isinstance(self.app.bus, JetStreamBus)
        return self.app.bus

    async def __aenter__(self) -> Self:
        self._resources = started(self.artifacts, self._database, self.app)
        await self._resources.__aenter__()
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await self._resources.__aexit__(*exception)


def make_service(service: str, settings: Mapping[str, Any], tracer_provider: TracerProvider | None = None) -> App:
    """Return the app of a service, unstarted; settings that are missing come from the environment."""
    package = service.replace("-", "_")
    settings_class = import_module(f"{package}.settings").Settings
    return import_module(f"{package}.app").make_app(settings_class(**settings), tracer_provider)


@asynccontextmanager
async def in_process(endpoints: Endpoints, tracer_provider: TracerProvider | None = None) -> AsyncGenerator[Client]:
    """Run all services in this process; yield a client that is the command."""
    apps = [make_service(service, endpoints.settings(service), tracer_provider) for service in ALL_SERVICES]
    async with started(*apps), Client(endpoints, "cli", tracer_provider) as client:
        yield client


@dataclass
class ModuleProcess:
    """A supervised process: `python -m MODULE ARGUMENTS`, forked from one that has imported all services."""

    name: str
    module: str
    environment: Mapping[str, str] = field(repr=False)
    log: Path
    arguments: tuple[str, ...] = ()
    ready_text: str = "is ready"
    _log_start: int = 0

    def prepare(self) -> None:
        """Remember the end of the log, so that an earlier process is not taken for this one."""
        self._log_start = self.log.stat().st_size if self.log.exists() else 0

    def program(self) -> ProcessSpec:
        """Return the program to start."""
        command = (sys.executable, "-m", self.module, *self.arguments)
        return ForkedModule(self.name, command, ROOT, self.log, self.environment)

    def ready(self) -> bool:
        """Return whether its log says so."""
        if not self.log.exists():
            return False
        with self.log.open("rb") as log:
            log.seek(self._log_start)
            return self.ready_text.encode() in log.read()


class RestartingSupervisor(Supervisor):
    """A supervisor that restarts whatever dies, without limit."""

    def wait_until_ready(self) -> None:
        """Return when everything is ready, even if something dies meanwhile; raise `UserError` on time-out."""
        deadline = time.monotonic() + READY_S
        for one in self._all():
            while not one.startable.ready():
                if time.monotonic() > deadline:
                    raise UserError(f"{one.startable.name} was not ready within {READY_S:g} s")
                time.sleep(LOOK_S)

    async def watch(self) -> None:
        """Restart what dies. Never returns."""
        started_s: dict[int, float] = {}
        while True:
            for one in [each for each in self._all() if each.has_died()]:
                if time.monotonic() - started_s.get(id(one), 0.0) >= RESTART_PAUSE_S:
                    started_s[id(one)] = time.monotonic()
                    one.start()
            await asyncio.sleep(LOOK_S)


@dataclass(frozen=True)
class Cluster:
    """Servers, and services as processes."""

    servers: ServerStack

    @property
    def endpoints(self) -> Endpoints:
        """The servers' addresses."""
        return Endpoints.of(self.servers)

    @property
    def supervisor(self) -> Supervisor:
        """The supervisor of servers and services."""
        return self.servers.supervisor

    def environment(self, settings: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment of services on these servers, with more settings."""
        return {**inherited_environment(), **self.servers.environment(), **(settings or {})}

    @asynccontextmanager
    async def run(self, processes: Sequence[Startable], *, restarts: bool = False) -> AsyncGenerator[None]:
        """Run processes until the block ends; with `restarts`, restart them and the servers whenever they die."""
        self.supervisor.launch(processes)
        watching = asyncio.create_task(self.supervisor.watch()) if restarts else None
        try:
            await asyncio.to_thread(self.supervisor.wait_until_ready)
            yield
        finally:
            if watching is not None:
                watching.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await watching
            self.supervisor.stop_last_batch()

    def interrupt(self, server: str, interruption: Interruption) -> None:
        """Make a server stop answering."""
        number = signal.SIGKILL if interruption == "killed" else signal.SIGSTOP
        signal_family(self.supervisor.pids()[server], number)

    async def resume(self, server: str, interruption: Interruption) -> None:
        """Let an interrupted server work again, and wait until it does."""
        if interruption == "killed":
            self.supervisor.restart(server)
        else:
            signal_family(self.supervisor.pids()[server], signal.SIGCONT)
        await asyncio.to_thread(self.supervisor.wait_until_ready)


@asynccontextmanager
async def start_cluster(
    folder: Path, only: Sequence[str] = ALL, supervisor: Supervisor | None = None, *, migrates: bool = True
) -> AsyncGenerator[Cluster]:
    """Start servers, with stream and tables if it migrates; nothing of them is left when the block ends."""
    servers = ServerStack(folder, supervisor, only)
    try:
        servers.start()
        if migrates and "nats-server" in only:
            await provision(BusSettings(nats_url=servers.nats_url))
        if migrates and "postgres" in only:
            await migrate(DatabaseSettings(database_url=servers.database_url))
        yield Cluster(servers)
    finally:
        servers.stop()
        servers.erase()
