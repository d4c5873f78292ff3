"""Sessions of a kernel without CAD: cells, files, tools, and recovery from the log."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from uuid import uuid4

import pytest
import pytest_asyncio
from artifacts.testing import FakeArtifacts
from contracts.envelope import Event
from contracts.events.benchmark import BenchmarkSessionRequested
from contracts.events.session import CellCompleted, CellRequested, SessionRequested
from kernel_host.cell_handlers import run_cell
from kernel_host.host import SessionHost
from kernel_host.kernel_kind import KernelKind
from kernel_host.kernels import ReadLog
from kernel_host.protocol import CellDone, KernelCall, SessionReady
from kernel_host.session_manager.recovery import KERNEL_KILLED, SessionRecovery
from kernel_host.sessions.session import Session
from kernel_host.sessions.session_history import OpeningRequest
from kernel_host.tools.cell_tools import Ask, CellTools
from pydantic import BaseModel
from sandbox.channels.channel import HostChannel
from sandbox.zygote.messages import Programs

from tests.architecture.repository import ROOT
from tests.kernel_host.plain_kernel import PlainMessage, PlainOrder, SquareAnswer, SquareCall

pytestmark = pytest.mark.asyncio(loop_scope="module")

CAD = ("OCP", "build123d", "geometry", "workbenches", "mujoco", "cad_worker")
DIES = "import random\nos = [random][0]._os\nos.kill(os.getpid(), 9)"


async def receive(channel: HostChannel) -> SessionReady | SquareCall | CellDone:
    return (await channel.receive(PlainMessage)).root


PLAIN = KernelKind("tests.kernel_host.plain_kernel:run", receive)


class Squares(CellTools):
    """Squares numbers, and counts how often."""

    calls = 0

    async def answer(self, call: KernelCall, cell: CellRequested, ordinal: int) -> BaseModel:
        self.calls += 1
        assert isinstance(call, SquareCall)
        return SquareAnswer(square=call.value**2)


@dataclass
class PlainSession:
    """Implements `Kernels`, and keeps the log of its only session."""

    host: SessionHost
    artifacts: FakeArtifacts = field(default_factory=FakeArtifacts)
    log: list[Event] = field(default_factory=list[Event])

    async def start(self) -> None:
        self.squares = Squares(self.artifacts)
        self.session = await self.host.open_kernel(PLAIN, PlainOrder(greeting="hello"), {}, {"notes.py": "KEPT = 7\n"})
        self.recovery = SessionRecovery(self.session, self, "engineer", self._run, self._log, self.artifacts, 60.0)

    async def cell(self, code: str) -> CellCompleted:
        request = CellRequested(
            id=uuid4(), run_id=RUN, role="engineer", producer="engineer", purpose="try", code=code, timeout_s=20.0
        )
        completed = await self.recovery.run(request, 1)
        self.log += [request, completed]
        return completed

    async def open(self, request: OpeningRequest) -> Session:
        return self.session

    async def review(self, session: Session, request: SessionRequested | BenchmarkSessionRequested) -> None:
        raise AssertionError("nothing is reviewed")

    def tools(self, request: OpeningRequest, session: Session, ask: Ask, read_log: ReadLog) -> CellTools:
        return self.squares

    async def _run(self, request: CellRequested) -> CellCompleted:
        return await run_cell(request, self.session, self.squares, self.artifacts)

    async def _log(self) -> list[Event]:
        return self.log


RUN = uuid4()


@pytest_asyncio.fixture(loop_scope="module")
async def plain() -> AsyncIterator[PlainSession]:
    host = SessionHost(Programs(entry_points=(PLAIN.entry_point,), import_paths=(ROOT,)))
    await host.start()
    opened = PlainSession(host)
    await opened.start()
    yield opened
    await opened.session.close()
    await host.stop()


async def test_kernel_without_cad_runs_cells_and_loads_no_cad(plain: PlainSession) -> None:
    done = await plain.cell(f"from notes import KEPT\nprint(greeting, KEPT, [m for m in {CAD} if m in loaded])")
    assert (done.observation.status, done.observation.output) == ("ok", "hello 7 []\n")


async def test_kernel_without_cad_is_recovered_with_the_recorded_answers_of_its_tools(plain: PlainSession) -> None:
    await plain.cell("nine = square(3)")
    killed = (await plain.cell(DIES)).observation
    after = await plain.cell("print(nine)")
    recovery = killed.recovery
    assert killed.status == "killed"
    assert recovery is not None
    assert (recovery.why, recovery.replayed_cells, recovery.restored) == (KERNEL_KILLED, 1, ("nine",))
    assert (after.observation.output, plain.squares.calls) == ("9\n", 1)
