"""A session whose kernel is gone, with its worker or without, goes on in a new kernel, and the agent is told."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from artifacts.port import ArtifactStore
from contracts.envelope import Event, Role
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.observation import Recovery

from cad_worker.sessions.replay import Replay
from cad_worker.sessions.session import Session
from cad_worker.sessions.session_history import session_history

WORKER_LOST = "the worker that held the session was lost"
KERNEL_LOST = "the kernel was lost between two cells"
KERNEL_KILLED = "this cell killed its kernel"

RunCell = Callable[[CellRequested], Awaitable[CellCompleted]]
ReadLog = Callable[[], Awaitable[list[Event]]]


@dataclass
class SessionRecovery:
    """Runs the cells of one session, and brings back what was there whenever its kernel is lost."""

    session: Session
    role: Role
    run_cell: RunCell
    read_log: ReadLog
    artifacts: ArtifactStore
    limit_s: float
    """How long it may take to run completed cells again."""
    unreported: Recovery | None = None
    """What the next observation is to tell."""

    def __post_init__(self) -> None:
        """Keep the agent's own files as they are when the session is opened."""
        self._first_files = self.session.workspace.snapshot()

    async def take_over(self) -> None:
        """Bring a session that is new to this worker to where the log says it was, files included."""
        self.unreported = await self._replay(WORKER_LOST)

    async def run(self, request: CellRequested, epoch: int) -> CellCompleted:
        """Run a cell under the lease of this epoch.

        What a kernel lost before it, or because of it, is brought back, and told with it.
        """
        if await self.session.revive():
            await self._bring_back(KERNEL_LOST)
        completed = await self.run_cell(request)
        seen = completed.observation
        if seen.status == "killed" and not self.session.is_ending:
            await self._bring_back(KERNEL_KILLED)
        told, self.unreported = seen.model_copy(update={"recovery": self.unreported}), None
        return completed.model_copy(update={"observation": told, "epoch": epoch})

    async def _bring_back(self, why: str) -> None:
        """Replay in the new kernel. Cells find the files of then; afterwards all files are as they were found."""
        workspace = self.session.workspace
        found = await asyncio.to_thread(workspace.snapshot)
        await asyncio.to_thread(workspace.restore, self._first_files)
        recovery = await self._replay(why)
        await asyncio.to_thread(workspace.restore, found)
        self.unreported = recovery.model_copy(update={"files": ()})

    async def _replay(self, why: str) -> Recovery:
        memory = session_history(await self.read_log(), self.role)
        return await Replay(self.session, self.artifacts, self.limit_s).run(memory, why)
