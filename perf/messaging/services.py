"""The ground that all contenders stand on: one nats-server of our own, with a stream for each, and their services."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import sys
from collections.abc import AsyncGenerator, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import nats
from chassis.administration.provisioning import provision
from chassis.settings import BusSettings
from local_stack.processes.child_process import ProcessSpec
from local_stack.processes.supervisor import Supervisor
from local_stack.servers.server_stack import ServerStack
from local_stack.settings import inherited_environment
from nats.js.api import StorageType, StreamConfig

from perf.messaging.nats_client import STREAMS

ROOT = Path(__file__).parents[2]
POSITIONS = ("first", "second")


@asynccontextmanager
async def one_server() -> AsyncGenerator[BusSettings]:
    """Start a nats-server with all streams; yields its settings."""
    with TemporaryDirectory() as folder:
        servers = ServerStack(Path(folder), only=("nats-server",))
        servers.start()
        settings = BusSettings(nats_url=servers.nats_url)
        try:
            await provision(settings)
            await _add_streams(settings)
            yield settings
        finally:
            servers.stop()


async def _add_streams(settings: BusSettings) -> None:
    """Create the streams of the raw nats-py contenders; chassis and FastStream create their own."""
    client = await nats.connect(settings.nats_url)
    for name in STREAMS:
        await client.jetstream().add_stream(StreamConfig(name, subjects=[f"{name}.>"], storage=StorageType.FILE))
    await client.close()


@dataclass(frozen=True)
class ContenderService:
    """One service of one contender, as a process that ends with us."""

    contender: str
    position: str
    settings: BusSettings
    log: Path

    @property
    def name(self) -> str:
        """Contender and position."""
        return f"{self.contender} {self.position}"

    def prepare(self) -> None:
        """Do nothing: the process needs no preparation."""

    def program(self) -> ProcessSpec:
        """Return the command of the process."""
        command = (sys.executable, "-m", "perf.messaging.service_process", self.contender, self.position)
        return ProcessSpec(
            self.name, command, ROOT, self.log, inherited_environment() | {"NATS_URL": self.settings.nats_url}
        )

    def ready(self) -> bool:
        """Tell whether the process printed `ready`."""
        return self.log.exists() and "ready" in self.log.read_text(encoding="utf-8").splitlines()


@contextmanager
def services_of(contenders: Iterable[str], settings: BusSettings) -> Generator[None]:
    """Run both services of each contender."""
    supervisor = Supervisor()
    with TemporaryDirectory() as folder:
        supervisor.launch(
            [
                ContenderService(contender, position, settings, Path(folder) / f"{contender}-{position}.log")
                for contender in contenders
                for position in POSITIONS
            ]
        )
        try:
            supervisor.wait_until_ready()
            yield
        finally:
            supervisor.stop()
