"""The cluster under test: the real apps of all services, two replicas of each, on servers in memory."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from uuid import UUID

from artifacts.testing import FakeArtifacts
from chassis.app import App
from chassis.errors import BusUnavailableError, ChassisError
from contracts.envelope import Event
from contracts.registry import parse

from tests.simulation.doubles.nats_client import Wire
from tests.simulation.doubles.nats_server import NatsServer
from tests.simulation.doubles.network import FaultRates, Network
from tests.simulation.doubles.provider import Provider
from tests.simulation.doubles.thread_store import Database
from tests.simulation.event_loop import Process, VirtualLoop

MakeApps = Callable[["Cluster"], Sequence[App]]
"""Builds the apps of one process."""


@dataclass
class Node:
    """A place where a process runs, and runs again after it died."""

    name: str
    make_apps: MakeApps
    process: Process | None = None
    apps: Sequence[App] = ()


@dataclass
class Cluster:
    """Servers and nodes of one schedule."""

    random: Random
    rates: FaultRates
    services: Mapping[str, MakeApps]
    make_artifacts: Callable[[], Any] = FakeArtifacts
    single: Sequence[str] = ()
    """Services with one replica."""
    nodes: list[Node] = field(default_factory=list[Node])
    processes: list[Process] = field(default_factory=list[Process])
    """All that ever ran."""
    sessions: list[Any] = field(default_factory=list[Any])
    """All sessions of kernels that were ever opened."""
    failures: list[str] = field(default_factory=list[str])
    """Of starts."""
    poisoned_run: UUID | None = None
    """The run whose simulation kills every process that takes it."""

    def __post_init__(self) -> None:
        """Build the servers; start nothing."""
        self.loop = VirtualLoop()
        self.network = Network(self.loop, self.random, self.rates)
        self.server = NatsServer(self.loop.time, self.network.later)
        self.wire = Wire(self.network, self.server)
        self.database = Database(self.network)
        self.provider = Provider(self.network)
        self.artifacts = self.make_artifacts()
        self.nodes = [
            Node(f"{name}-{replica}", make)
            for name, make in self.services.items()
            for replica in range(1 if name in self.single else 2)
        ]

    def start(self, node: Node, crash_at_step: int | None = None) -> None:
        """Run a new process on a node."""
        random = self.random
        process = Process(
            node.name,
            crash_at_step,
            clock_offset_s=random.uniform(0.0, 1e6),
            clock_rate=random.uniform(0.99, 1.01),
            wall_skew_s=random.uniform(-30.0, 30.0),
        )
        self.processes.append(process)
        node.process = process
        self.loop.spawn(process, self._serve(node, process))

    async def _serve(self, node: Node, process: Process) -> None:
        try:
            node.apps = node.make_apps(self)
            for app in node.apps:
                await app.start()
        except ChassisError as error:
            if isinstance(error, BusUnavailableError) and process.cut_off_until_s:
                process.kill()  # as a service that ends with exit code 1; its supervisor starts it again
                return
            self.failures.append(f"{node.name} does not start: {error!r}")
        except (TypeError, AttributeError, ValueError, NotImplementedError) as error:
            self.failures.append(f"a double lacks what {node.name} uses: {error!r}")

    def kill(self, node: Node) -> None:
        """Kill the process on a node; what it has sent arrives."""
        if node.process is not None:
            node.process.kill()

    def publish(self, event: Event) -> None:
        """Store an event of a user."""
        data = event.model_dump_json().encode()
        self.server.store(event.full_subject, data, {"Nats-Msg-Id": str(event.id)})

    def events(self) -> list[Event]:
        """Return the log."""
        return [parse(each.subject, each.data) for each in self.server.log]

    def excuses(self) -> int:
        """Return how often a model's answer may have been paid for and lost."""
        deaths = sum(not each.is_alive for each in self.processes)
        redeliveries = sum(count - 1 for each in self.server.consumers.values() for count in each.counts.values())
        return deaths + redeliveries + self.provider.lost_answers + self.server.incarnation

    def dispose(self) -> None:
        """Drop everything."""
        self.loop.dispose(self.processes)
