"""A client whose requests and outcomes are in the event log, and workers that have nothing but the log."""

from hashlib import sha256

import pytest
from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from cad_worker.kernels import WorkerKernels
from cad_worker.session_protocol import QuoteAnswer
from chassis.leases.lease import Leases
from chassis.testing import FakeBus
from contracts.envelope import answering
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested, SessionRequested
from contracts.events.simulation import SimulationFailed, SimulationRequested
from contracts.models.observation import Observation, Recovery
from kernel_host.session_manager.manager import SessionManager

from tests.cad_worker.handlers.run_client import RunClient
from tests.cad_worker.handlers.worker_leases import WorkerLeases

BUILDS = (
    "import random\nimport numpy as np\nfrom build123d import *\nluck = random.random()\nnoise = np.random.rand(20)",
    "base = Pos(0, 0, 2) * Box(40, 30, 4)",
    "base.label = 'base'\ndrilled = base - Cylinder(3, 10)",
    "base.metadata = {'manufacturing_method': '3d_printing', 'material_id': 'pla'}\nvolumes = []",
    "for edge in range(3):\n    volumes.append(drilled.volume * edge)",
    "half = luck\nraise ValueError('here')",
    "def twice(x):\n    return 2 * x\nmade = twice(21)",
)
QUOTES = "from utils import validate_and_price\nprice = validate_and_price(base)"
SIMULATES = "from utils import simulate\ntry:\n    simulate(Compound(label='a', children=[base]))\nexcept Exception as e:\n    message = str(e)"  # noqa: E501

DIES = "import random\n[random][0]._os._exit(7)"


class LoggedClient:
    """Publishes each request of a run's session and its outcome."""

    def __init__(self, client: RunClient, bus: FakeBus) -> None:
        self._client = client
        self._bus = bus

    async def run_cell(self, code: str, timeout_s: float = 60.0) -> Observation:
        """Run a cell and return its observation."""
        return (await self.complete_cell(code, timeout_s)).observation

    async def complete_cell(
        self, code: str, timeout_s: float = 60.0, noted: tuple[JournalEntryAdded, ...] = ()
    ) -> CellCompleted:
        """Publish what the engineer has noted, and run a cell."""
        for entry in noted:
            await self._bus.publish(entry)
        ids = tuple(entry.id for entry in noted)
        fields = {"purpose": "test", "code": code, "timeout_s": timeout_s, "journal_entries": ids}
        request = self._client.request(CellRequested, **fields)
        await self._bus.publish(request)
        completed = await self._client.handlers[CellRequested](request)
        await self._bus.publish(completed)
        assert isinstance(completed, CellCompleted)
        return completed

    async def write_file(self, path: str, text: str) -> None:
        """Write a file."""
        request = self._client.write_request(path, text)
        await self._bus.publish(request)
        await self._bus.publish(await self._client.handlers[FileWriteRequested](request))


class ToolCounts:
    """Counts quotes, and simulations, which fail."""

    def __init__(self, host: KernelHost, bus: FakeBus, monkeypatch: pytest.MonkeyPatch) -> None:
        self.quotes = 0
        self._quote = host.quote
        self._bus = bus
        monkeypatch.setattr(host, "quote", self._counted)
        bus.answers(SimulationRequested, self._fail)

    @property
    def simulations(self) -> int:
        """How many simulations the log has."""
        return sum(isinstance(event, SimulationRequested) for event in self._bus.events)

    async def _counted(self, *arguments: object) -> QuoteAnswer:
        self.quotes += 1
        return await self._quote(*arguments)  # pyright: ignore[reportArgumentType] - passed on unchanged

    async def _fail(self, request: SimulationRequested) -> SimulationFailed:
        return SimulationFailed(
            **answering(request, "sim-worker"), reason="scene_invalid", detail=f"no. {self.simulations}"
        )


class Workers:
    """Session managers of further workers, which have nothing but the log."""

    def __init__(
        self, client: RunClient, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus, leases: Leases
    ) -> None:
        self._dependencies = (WorkerKernels(host, artifacts), artifacts, bus, client.serve_thread, leases)

    def new(self, replay_s: float = 60.0) -> SessionManager:
        """Return a session manager."""
        return SessionManager(*self._dependencies, replay_s=replay_s)


async def take_over(manager: SessionManager, request: SessionRequested, leases: WorkerLeases) -> None:
    """Cut the first worker off, and let the next one take its session over."""
    await leases.cut_off_first()
    await manager.take_over_if_orphaned(request)
    await manager.wait_for_takeovers()


def recovery_of(observation: Observation) -> Recovery:
    """Return the recovery that an observation reports."""
    assert observation.recovery is not None
    return observation.recovery


def file_digests(manager: SessionManager) -> dict[str, str]:
    """Return the digest of every file of the only session of a worker."""
    (session,) = manager.sessions
    folder = session.workspace.folder
    return {path: sha256((folder / path).read_bytes()).hexdigest() for path in session.workspace.files()}
