"""A host of kernels in memory: sessions whose cells only search the catalog, count, and submit."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

from cad_worker.kernel_kinds import DESIGN_KERNEL
from cad_worker.session_protocol import DesignCellDone, SearchCall
from cad_worker.tools.session_tools import SessionTools
from contracts.events.conversation import JournalEntryAdded
from contracts.models.assessment import AssessmentRecord
from contracts.models.observation import CellError, Observation, Variable
from design_rules.design_data import DesignData
from kernel.runtime.cell import CellReport
from kernel_host.kernel_kind import KernelKind
from kernel_host.sessions.session import Cell, CellOutcome

from tests.contracts import example_values as values
from tests.simulation.cluster import Cluster
from tests.simulation.event_loop import Process, current_process

STABLE = "5ab1e"
"""Fingerprint of the assessment that a critic's cell binds."""
CELL_S = (0.0, 0.1, 1.0, 4.0)
KERNEL_DEATHS = 0.05
"""How likely a cell loses its kernel."""


class MemoryWorkspace:
    """`kernel_host.sessions.workspace.Workspace`."""

    def __init__(self) -> None:
        self.contents: dict[str, str] = {}

    def read(self, path: str) -> str:
        """Return a file; an empty text if there is none."""
        return self.contents.get(path, "")

    def write(self, path: str, text: str) -> int:
        """Write a file."""
        self.contents[path] = text
        return len(text)

    def replace_read_only(self, path: str, content: bytes) -> None:
        """Replace a file that no cell can write."""
        self.contents[path] = content.decode()

    def files(self) -> tuple[str, ...]:
        """Return the paths of all files."""
        return tuple(sorted(self.contents))

    def snapshot(self) -> Any:
        """Return all files."""
        return SimpleNamespace(files=dict(self.contents), left_out=())

    def restore(self, files: Mapping[str, str]) -> None:
        """Replace all files."""
        self.contents = dict(files)


@dataclass(eq=False)
class MemorySession:
    """`kernel_host.sessions.session.Session`."""

    cluster: Cluster
    process: Process | None
    order: Any
    workspace: MemoryWorkspace = field(default_factory=MemoryWorkspace)
    variables: dict[str, str] = field(default_factory=dict[str, str])
    kind: KernelKind = DESIGN_KERNEL
    is_ending: bool = False
    is_closed: bool = False
    has_kernel: bool = True
    entries: list[JournalEntryAdded] = field(default_factory=list[JournalEntryAdded])

    def __post_init__(self) -> None:
        """Begin."""
        self._busy = asyncio.Lock()
        self._ending = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether its kernel lives: one dies with its worker."""
        return not self.is_closed and (self.process is None or self.process.is_alive)

    async def revive(self) -> bool:
        """Start a kernel if none is alive."""
        if self.has_kernel:
            return False
        self.variables.clear()
        self.has_kernel = True
        return True

    async def restart(self, order: Any, _files: Mapping[str, bytes]) -> None:
        """Start a new kernel with another order."""
        self.order = order
        self.variables.clear()

    def end(self) -> None:
        """Kill the kernel."""
        self.is_ending = True
        self._ending.set()

    async def close(self) -> None:
        """End the kernel."""
        self.end()
        async with self._busy:
            self.is_closed = True

    async def settle_documents(self) -> None:
        """Nothing spoils documents here."""

    async def accept_documents(self) -> None:
        """Any document is accepted."""

    async def add_journal_entry(self, added: JournalEntryAdded) -> None:
        """Keep an entry."""
        self.entries.append(added)

    async def run(self, cell: Cell, answer: Any) -> CellOutcome:
        """Run a cell, which takes a while and searches the catalog."""
        async with self._busy:
            network = self.cluster.network
            await self._wait(network.random.choice(CELL_S))
            if "submit" not in cell.code and "assess" not in cell.code and not self.is_ending:
                await self._until_end(answer(SearchCall(words="a motor", limit=1, quantity=1), 0))
            if self.is_ending or network.strikes(KERNEL_DEATHS):
                return self._killed()
            return self._outcome(cell)

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._ending.wait()
        except TimeoutError:
            return

    async def _until_end(self, answering: Any) -> None:
        tool = asyncio.ensure_future(answering)
        ending = asyncio.ensure_future(self._ending.wait())
        try:
            await asyncio.wait((tool, ending), return_when=asyncio.FIRST_COMPLETED)
            if tool.done():
                tool.result()
        finally:
            tool.cancel()
            ending.cancel()
            await asyncio.gather(tool, ending, return_exceptions=True)

    def _killed(self) -> CellOutcome:
        self.variables.clear()
        error = CellError(type="KernelKilled", message="the kernel is gone")
        return CellOutcome(Observation(status="killed", error=error))

    def _outcome(self, cell: Cell) -> CellOutcome:
        if "submit" in cell.code:
            return CellOutcome(
                Observation(status="ok"), DesignCellDone(report=CellReport(), submitted=DesignData(parts=()))
            )
        name = "stability" if "assess" in cell.code else "x"
        fingerprint = STABLE if name == "stability" else sha256(cell.code.encode()).hexdigest()[:8]
        self.variables[name] = fingerprint
        variable = Variable(name=name, type="int", summary="bound", change="new", fingerprint=fingerprint)
        return CellOutcome(Observation(status="ok", variables=(variable,)))


class MemoryHost:
    """`cad_worker.host.KernelHost` of one worker."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    async def start(self) -> None:
        """Start nothing."""

    async def stop(self) -> None:
        """Stop nothing."""

    async def problem(self) -> str | None:
        """Return none."""
        return None

    async def failure(self) -> str:
        """Wait for ever."""
        await asyncio.Event().wait()
        raise AssertionError("no task sets it")

    async def open_session(self, order: Any, read_only: Mapping[str, bytes], writable: Any) -> MemorySession:
        """Open a session."""
        session = MemorySession(self._cluster, current_process(), order)
        self._cluster.sessions.append(session)
        await asyncio.sleep(self._cluster.random.choice((0.05, 0.5)))
        session.workspace.contents = dict.fromkeys((*read_only, *(writable or ())), "")
        return session


class MemoryReviewTools(SessionTools):
    """`cad_worker.tools.review_tools.ReviewTools` that has counted enough reruns."""

    def __init__(self, host: Any, artifacts: Any, ask: Any, session: Any, _read_log: Any) -> None:
        super().__init__(host, artifacts, ask, session)

    async def assessment(self) -> AssessmentRecord:
        """Return the count."""
        return AssessmentRecord(assessment=values.ASSESSMENT, fingerprint=STABLE)
