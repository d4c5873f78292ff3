"""Real servers, and every service as a mortal process that is started again whenever it dies."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.app import App
from chassis.settings import BusSettings
from chassis.stream.jetstream_bus import JetStreamBus
from chassis.stream.provisioning import provision
from contracts.envelope import Event
from contracts.events.run import EnvironmentRequested
from contracts.publishers import SERVICES
from local_stack.processes.child_process import ProcessSpec
from local_stack.processes.supervisor import Supervisor
from local_stack.servers.server_stack import ServerStack
from local_stack.settings import inherited_environment
from store.database import Database
from store.log import EventLog
from store.migrate import migrate
from store.settings import DatabaseSettings

from perf.mortality.fates import Fates
from perf.mortality.stories import poison_id
from perf.undying import Undying

ROOT = Path(__file__).parents[2]
SERVED = tuple(service for service in SERVICES if service != "cli")
HASTE = {"BUS_ACK_WAIT_S": "2", "BUS_RETRY_DELAY_S": "0.2", "BUS_MAX_RETRY_DELAY_S": "1", "BUS_DRAIN_S": "1"}
"""What a process that was killed had in hand comes back soon."""


@dataclass
class MortalProcess:
    """A service that dies by the fates in a folder."""

    name: str
    fates: Fates
    environment: Mapping[str, str] = field(repr=False)
    log: Path
    _said_before: int = 0

    def prepare(self) -> None:
        """Remember where its log ends now."""
        self._said_before = self.log.stat().st_size if self.log.exists() else 0

    def program(self) -> ProcessSpec:
        """Return what to start."""
        command = (sys.executable, "-m", "perf.mortality.mortal", self.name, str(self.fates.folder))
        return ProcessSpec(self.name, command, ROOT, self.log, self.environment)

    def ready(self) -> bool:
        """Tell whether it says so."""
        if not self.log.exists():
            return False
        with self.log.open("rb") as log:
            log.seek(self._said_before)
            return f"{self.name} is ready".encode() in log.read()


class House:
    """What a test needs of it."""

    def __init__(self, environment: Mapping[str, str], fates: Fates) -> None:
        self.fates = fates
        self.environment = environment
        given = {name.lower(): value for name, value in environment.items()}
        self._app = App("tests", BusSettings.model_validate(given))
        self._database = Database(DatabaseSettings.model_validate(given))
        self.artifacts = Artifacts(S3Settings.model_validate(given))
        self._app.stores_large_fields_in(self.artifacts)
        self.log = EventLog(self._database.engine)

    @property
    def bus(self) -> JetStreamBus:
        """The log of all runs."""
        assert isinstance(self._app.bus, JetStreamBus)
        return self._app.bus

    async def open(self) -> None:
        """Connect."""
        for each in (self.artifacts, self._database, self._app):
            await each.start()

    async def close(self) -> None:
        """Disconnect."""
        for each in (self._app, self._database, self.artifacts):
            await each.stop()

    async def say(self, event: Event) -> None:
        """Say it by a client that may be doomed; whoever has asked in vain asks again."""
        if not any(".cli." in left for left in self.fates.left(event.run_id)):
            await self.bus.publish(event)
            return
        file = self.fates.folder / f"{event.full_subject}.json"
        file.write_text(event.model_dump_json())
        command = (sys.executable, "-m", "perf.mortality.asking", str(self.fates.folder), str(file))
        while True:
            client = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=dict(self.environment))
            if await client.wait() == 0:
                return

    async def poison(self, asked: Event) -> None:
        """Put a request into the run that nobody can read."""
        subject = f"{EnvironmentRequested.subject}.{asked.run_id}.planner.{poison_id(asked.run_id)}"
        await self.bus.js.publish(subject, b"{")


@asynccontextmanager
async def house(folder: Path, openai_base_url: str) -> AsyncGenerator[House]:
    """Start everything; it is gone when the block ends."""
    supervisor = Undying()
    servers = ServerStack(folder, supervisor)
    fates = Fates(folder / "fates")
    try:
        servers.start()
        fates.folder.mkdir()
        environment = inherited_environment() | servers.environment() | HASTE
        environment |= {"ARTIFACTS_SPOOL": str(folder / "spool")}
        environment |= {"OPENAI_BASE_URL": openai_base_url, "OPENAI_API_KEY": "of-no-value"}
        await migrate(DatabaseSettings(database_url=servers.database_url))
        await provision(BusSettings(nats_url=servers.nats_url))
        supervisor.launch([MortalProcess(name, fates, environment, folder / f"{name}.log") for name in SERVED])
        opened = House(environment, fates)
        async with _watched(supervisor):
            await asyncio.to_thread(supervisor.wait_until_ready)
            await opened.open()
            yield opened
            await opened.close()
    finally:
        servers.stop()
        servers.erase()


@asynccontextmanager
async def _watched(supervisor: Supervisor) -> AsyncGenerator[None]:
    watching = asyncio.create_task(supervisor.watch())
    try:
        yield
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
