"""Talking to a session such that the log has all of it, and counting what its tools were asked."""

from hashlib import sha256
from uuid import uuid4

import pytest
from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from cad_worker.session_protocol import QuoteAnswer
from cad_worker.sessions.manager import SessionManager
from chassis.leases.lease import Leases
from chassis.testing import FakeBus
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested, SessionRequested
from contracts.events.simulation import SimulationFailed, SimulationRequested
from contracts.models.observation import Observation, Recovery

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
SIMULATES = "from utils import simulate\ntry:\n    simulate(Compound(label='a', children=[base]))\nexcept Exception as e:\n    told = str(e)"  # noqa: E501

DIES = "import random\n[random][0]._os._exit(7)"


class LoggedClient:
    """A run's requests and answers, as the log has them."""

    def __init__(self, a_run: RunClient, bus: FakeBus) -> None:
        self._run = a_run
        self._bus = bus

    async def run_cell(self, code: str, timeout_s: float = 60.0) -> Observation:
        """Run a cell and let the log have it."""
        return (await self.complete_cell(code, timeout_s)).observation

    async def complete_cell(self, code: str, timeout_s: float = 60.0) -> CellCompleted:
        """Run a cell and let the log have it."""
        request = CellRequested(
            id=uuid4(),
            run_id=self._run.id,
            role="engineer",
            producer="engineer",
            purpose="test",
            code=code,
            timeout_s=timeout_s,
        )
        await self._bus.publish(request)
        completed = await self._run.handlers[CellRequested](request)
        await self._bus.publish(completed)
        assert isinstance(completed, CellCompleted)
        return completed

    async def write_file(self, path: str, text: str) -> None:
        """Write a file and let the log have it."""
        request = self._run.write_request(path, text)
        await self._bus.publish(request)
        await self._bus.publish(await self._run.handlers[FileWriteRequested](request))


class ToolCounts:
    """What the workbenches and the simulator were asked."""

    def __init__(self, host: KernelHost, bus: FakeBus, monkeypatch: pytest.MonkeyPatch) -> None:
        self.quotes = 0
        self._quote = host.quote
        self._bus = bus
        monkeypatch.setattr(host, "quote", self._counted)
        bus.answers(SimulationRequested, self._fail)

    @property
    def simulations(self) -> int:
        """Return how many simulations the log knows."""
        return sum(isinstance(event, SimulationRequested) for event in self._bus.events)

    async def _counted(self, *question: object) -> QuoteAnswer:
        self.quotes += 1
        return await self._quote(*question)  # pyright: ignore[reportArgumentType] - passed on as it came

    async def _fail(self, request: SimulationRequested) -> SimulationFailed:
        return SimulationFailed.answering(
            request, "sim-worker", reason="scene_invalid", detail=f"no. {self.simulations}"
        )


class Workers:
    """Workers that know nothing but the log."""

    def __init__(
        self, a_run: RunClient, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus, leases: Leases
    ) -> None:
        self._knows = (host, artifacts, bus, a_run.serve_thread, leases)

    def new(self, replay_s: float = 60.0) -> SessionManager:
        """Return one."""
        return SessionManager(*self._knows, replay_s=replay_s)


async def take_over(worker: SessionManager, asked: SessionRequested, leases: WorkerLeases) -> None:
    """Let the first worker be cut off, and the next one look."""
    await leases.cut_off_first()
    await worker.take_over_if_orphaned(asked)
    await worker.wait_for_takeovers()


def recovery_of(observation: Observation) -> Recovery:
    """Return what is said of a recovery."""
    assert observation.recovery is not None
    return observation.recovery


def file_digests(table: SessionManager) -> dict[str, str]:
    """Return the digest of every file of the one session that a worker holds."""
    (session,) = table.sessions
    folder = session.workspace.folder
    return {path: sha256((folder / path).read_bytes()).hexdigest() for path in session.workspace.files()}
