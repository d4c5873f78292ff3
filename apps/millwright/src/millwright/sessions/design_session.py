"""A CAD session in this process: cells and files in a confined kernel, rebuilt from its log after any loss."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self
from uuid import UUID, uuid4

from agent.rendering.assignment import assignment_markdown
from artifacts.port import ArtifactStore
from benchmarks.loader import CODE_TYPE, BenchmarkError, LoadedBenchmark
from cad_worker.handlers import build_environment
from cad_worker.host import KernelHost
from cad_worker.kernel_kinds import order_of
from cad_worker.kernels import WorkerKernels
from cad_worker.tools.session_tools import SessionTools
from contracts.envelope import Event, EventEnvelope, Request
from contracts.events.run import EnvironmentRefused, EnvironmentRequested
from contracts.events.session import (
    CellRequested,
    FileEditRequested,
    FileRefused,
    FileViewed,
    FileViewRequested,
    FileWriteRequested,
    FileWritten,
    SessionRequested,
)
from contracts.models.benchmark import Assignment
from contracts.models.observation import Observation, Recovery
from contracts.models.simulation import Media
from documents.workspaces.archive import unpack
from kernel_host.cell_handlers import run_cell
from kernel_host.file_handlers import edit_file, view_file, write_file
from kernel_host.protocol import KernelCall
from kernel_host.session_manager.recovery import SessionRecovery
from kernel_host.sessions.archives import pack
from kernel_host.sessions.session import Session
from kernel_host.tools.cell_tools import Ask
from pydantic import BaseModel
from sim_worker.media.renderer import MediaRenderer

from millwright.judged_design import JudgedDesign
from millwright.sessions.artifact_folder import ArtifactFolder
from millwright.sessions.exports import DesignExport, Format
from millwright.sessions.local_services import NAME, LocalServices
from millwright.sessions.session_log import SessionLog
from millwright.workshop import REPLICAS, Workshop

CELL_S = 60.0
"""CPU time of a cell, unless stated."""
REPLAY_S = 300.0
"""CPU time in which the cells of a lost kernel run again."""
MAX_BYTES = 1 << 30
"""Of everything that a session stores: trajectories, pictures, replies of tools."""
TODO_MD = "# TODO\n\n- [ ] T1: Design a machine that solves the benchmark in plan.md\n"


class SessionFullError(RuntimeError):
    """The session stores as much as it may."""


@dataclass(frozen=True)
class CellPicture:
    """A picture of a cell."""

    label: str
    shows: str
    """What a model that looks at it must know."""
    png: bytes


@dataclass(frozen=True)
class ToolUse:
    """A call of a kernel's tool, and the host's answer."""

    call: KernelCall
    answer: BaseModel


@dataclass(frozen=True)
class CellResult:
    """What became of a cell."""

    observation: Observation
    pictures: tuple[CellPicture, ...]
    uses: tuple[ToolUse, ...]
    media: Media | None
    """Of the last film that the cell made."""


class DesignSession:
    """One call at a time; `close` must follow. What it does is in its log before a call returns."""

    def __init__(self, log: SessionLog, artifacts: ArtifactFolder, workshop: Workshop, renderer: MediaRenderer) -> None:
        """Take over the log of a session; `start` must follow."""
        opening = log.events[0]
        assert isinstance(opening, SessionRequested)
        self.opening = opening
        self.artifacts = artifacts
        self.services = LocalServices(artifacts, workshop.simulator, renderer)
        self._log, self._workshop = log, workshop
        self._export = DesignExport(workshop, renderer, opening.assignment, opening.run_id.hex)
        self._session: Session | None = None
        self._tools: _ObservedTools | None = None
        self._recovery: SessionRecovery | None = None
        self._judged: tuple[Mapping[str, str], int, JudgedDesign] | None = None

    @classmethod
    async def create(
        cls, folder: Path, loaded: LoadedBenchmark, workshop: Workshop, renderer: MediaRenderer
    ) -> "DesignSession":
        """Open a session in the world of a benchmark; the folder, named by its id, is empty.

        Raises `BenchmarkError` if the world cannot be built, and `KernelStartError`.
        """
        artifacts = ArtifactFolder(folder / "artifacts")
        await artifacts.put(loaded.environment_code, CODE_TYPE)
        log = SessionLog(folder)
        try:
            log.append(await _opening(UUID(folder.name), loaded, workshop, artifacts))
            session = cls(log, artifacts, workshop, renderer)
            await session.start()
        except BaseException:
            log.close()
            raise
        return session

    @classmethod
    async def reopen(cls, folder: Path, workshop: Workshop, renderer: MediaRenderer) -> Self:
        """Open a session again: its files are restored, and its cells run again with the recorded replies of tools.

        Raises `SessionInUseError` and `KernelStartError`.
        """
        log = SessionLog(folder)
        try:
            session = cls(log, ArtifactFolder(folder / "artifacts"), workshop, renderer)
            await session.start()
        except BaseException:
            log.close()
            raise
        return session

    @property
    def id(self) -> str:
        """The id by which the session is opened again."""
        return self.opening.run_id.hex

    @property
    def assignment(self) -> Assignment:
        """The world and its limits."""
        return self.opening.assignment

    @property
    def brief_md(self) -> str:
        """The task as a document."""
        return self.opening.plan_md

    @property
    def recovery(self) -> Recovery | None:
        """How the kernel was rebuilt since the last cell."""
        return None if self._recovery is None else self._recovery.unreported

    async def start(self) -> None:
        """Start the kernel, and replay what the log has."""
        kernels = WorkerKernels(self._workshop.host, self.artifacts)
        session = await kernels.open(self.opening)
        tools = _ObservedTools(self._workshop.host, self.artifacts, self.services.ask, session)
        run = partial(run_cell, session=session, tools=tools, artifacts=self.artifacts)
        recovery = SessionRecovery(session, kernels, self.opening.role, run, self._events, self.artifacts, REPLAY_S)
        try:
            if len(self._log.events) > 1:
                self.services.stage = "runs earlier cells again"
                await recovery.take_over()
                tools.images.load_history(self._log.events, self.opening.role)
                tools.trials.load_history(self._log.events, self.opening.role)
        except BaseException:
            await session.close()
            raise
        self._session, self._tools, self._recovery = session, tools, recovery

    def interrupt(self) -> None:
        """Let a running call end now; `close` must follow."""
        if self._session is not None:
            self._session.end()

    async def close(self) -> None:
        """End the kernel and remove its workspace; the log stays."""
        if self._session is not None:
            await self._session.close()
        self._log.close()

    async def run_cell(self, code: str, *, timeout_s: float = CELL_S, purpose: str = "cell") -> CellResult:
        """Run a cell; raise `SessionFullError`. A cell that is cancelled leaves no trace: its kernel is rebuilt."""
        if self.artifacts.size_bytes > MAX_BYTES:
            raise SessionFullError(
                f"session {self.id} has stored {self.artifacts.size_bytes >> 20} MiB, {MAX_BYTES >> 20} are allowed; "
                "export what you need, open another one and write script.py there"
            )
        session, tools, recovery = self._opened()
        request = CellRequested(**self._envelope(), purpose=purpose, code=code, timeout_s=timeout_s)
        self.services.stage, self.services.media = "runs the cell", None
        await session.settle_documents()
        completed = await recovery.run(request, epoch=1)
        self._log.append(request, completed)
        seen = completed.observation
        pictures = [
            CellPicture(each.label, each.shows, await self.artifacts.get(each.artifact)) for each in seen.images
        ]
        return CellResult(seen, tuple(pictures), tuple(tools.uses), self.services.media)

    async def write_file(self, path: str, text: str) -> FileWritten | FileRefused:
        """Write a whole file."""
        request = FileWriteRequested(**self._envelope(), path=path, text=text)
        return self._logged(request, await write_file(request, self._opened()[0].workspace))

    async def edit_file(self, path: str, old_text: str, new_text: str) -> FileWritten | FileRefused:
        """Replace the only occurrence of a text."""
        request = FileEditRequested(**self._envelope(), path=path, old_text=old_text, new_text=new_text)
        return self._logged(request, await edit_file(request, self._opened()[0].workspace))

    async def view_file(self, path: str, from_line: int | None, to_line: int | None) -> FileViewed | FileRefused:
        """Return lines of a text file."""
        request = FileViewRequested(**self._envelope(), path=path, from_line=from_line, to_line=to_line)
        return await view_file(request, self._opened()[0].workspace)

    async def read_bytes(self, path: str, most: int) -> bytes:
        """Return the first bytes of a file, such as a STEP file that a cell exported; raise `OSError`."""
        return await asyncio.to_thread(self._opened()[0].workspace.read_bytes, path, most)

    async def files(self) -> Sequence[str]:
        """Return the paths of all files."""
        return await asyncio.to_thread(self._opened()[0].workspace.files)

    async def judge(self, replicas: int = REPLICAS) -> JudgedDesign:
        """Return what becomes of script.py and its modules; raise `InvalidWorkspaceError` and `KernelStartError`.

        The script runs in a fresh kernel, as a submission does. Files that were judged with as many replicas or more
        are not judged again.
        """
        session = self._opened()[0]
        self.services.stage = "judges script.py"
        files = await asyncio.to_thread(lambda: unpack(pack(session.workspace)))
        if self._judged is not None and self._judged[0] == files and self._judged[1] >= replicas:
            return self._judged[2]
        design = await self._workshop.judge_files(files, order_of(session), replicas)
        self._judged = (files, replicas, design)
        return design

    async def export(self, formats: Collection[Format], replicas: int) -> tuple[JudgedDesign, dict[str, bytes]]:
        """Return the design of script.py, judged with as many replicas at least, and its files by their paths.

        Raises `ExportError`, and what `judge` raises.
        """
        design = await self.judge(replicas)
        self.services.stage = "exports"
        return design, await self._export.files(design, formats)

    def _opened(self) -> "tuple[Session, _ObservedTools, SessionRecovery]":
        assert self._session is not None and self._tools is not None and self._recovery is not None, "not started"  # noqa: PT018
        return self._session, self._tools, self._recovery

    def _envelope(self) -> EventEnvelope:
        run_id, role, kind = self.opening.run_id, self.opening.role, self.opening.kind
        return EventEnvelope(
            id=uuid4(), run_id=run_id, kind=kind, role=role, causation_id=self.opening.id, producer=NAME
        )

    def _logged(self, request: Request, outcome: FileWritten | FileRefused) -> FileWritten | FileRefused:
        if isinstance(outcome, FileWritten):
            self._log.append(request, outcome)
        return outcome

    async def _events(self) -> list[Event]:
        return self._log.events


class _ObservedTools(SessionTools):
    """Tools whose answers to the running cell can be read."""

    def __init__(self, host: KernelHost, artifacts: ArtifactStore, ask: Ask, session: Session) -> None:
        super().__init__(host, artifacts, ask, session)
        self.uses: list[ToolUse] = []

    def begin_cell(self, cell: CellRequested) -> None:
        """Start to keep the answers to the next cell."""
        super().begin_cell(cell)
        self.uses.clear()

    async def answer(self, call: KernelCall, cell: CellRequested, ordinal: int) -> BaseModel:
        """Answer a call, and keep the answer."""
        answer = await super().answer(call, cell, ordinal)
        self.uses.append(ToolUse(call, answer))
        return answer


async def _opening(
    run_id: UUID, loaded: LoadedBenchmark, workshop: Workshop, artifacts: ArtifactFolder
) -> SessionRequested:
    """Build the world, and return the request for a kernel in it."""
    assignment = Assignment(variant=loaded.variant, limits=loaded.limits)
    wanted = EnvironmentRequested(id=uuid4(), run_id=run_id, role="planner", producer=NAME, assignment=assignment)
    built = await build_environment(wanted, workshop.host, artifacts)
    if isinstance(built, EnvironmentRefused):
        raise BenchmarkError(
            loaded.variant.benchmark, f"its environment cannot be built: {built.reason}: {built.detail}"
        )
    return SessionRequested(
        id=uuid4(),
        run_id=run_id,
        role="engineer",
        producer=NAME,
        assignment=assignment,
        environment=built.environment,
        plan_md=assignment_markdown(assignment, built.environment),
        todo_md=TODO_MD,
    )
