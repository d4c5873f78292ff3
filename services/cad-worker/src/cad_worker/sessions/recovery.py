"""Recovery of a session whose worker or kernel was lost: a replay in a new kernel, reported to the agent."""

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
    """Runs the cells of one session, and replays the session whenever its kernel is lost."""

    session: Session
    role: Role
    run_cell: RunCell
    read_log: ReadLog
    artifacts: ArtifactStore
    limit_s: float
    """For running completed cells again."""
    unreported: Recovery | None = None
    """For the next observation."""

    def __post_init__(self) -> None:
        """Keep the agent's own files of the newly opened session."""
        self._initial_files = self.session.workspace.snapshot()

    async def take_over(self) -> None:
        """Replay a session of another worker, with its files."""
        self.unreported = await self._replay(WORKER_LOST)

    async def run(self, request: CellRequested, epoch: int) -> CellCompleted:
        """Run a cell under the lease of this epoch; a kernel lost before it or by it is replayed and reported."""
        if await self.session.revive():
            await self._replay_in_new_kernel(KERNEL_LOST)
        completed = await self.run_cell(request)
        seen = completed.observation
        if seen.status == "killed" and not self.session.is_ending:
            await self._replay_in_new_kernel(KERNEL_KILLED)
        observation, self.unreported = seen.model_copy(update={"recovery": self.unreported}), None
        return completed.model_copy(update={"observation": observation, "epoch": epoch})

    async def _replay_in_new_kernel(self, why: str) -> None:
        """Replay the cells with the files of their time, and then restore the present files."""
        workspace = self.session.workspace
        present = await asyncio.to_thread(workspace.snapshot)
        await asyncio.to_thread(workspace.restore, self._initial_files)
        recovery = await self._replay(why)
        await asyncio.to_thread(workspace.restore, present)
        self.unreported = recovery.model_copy(update={"files": ()})

    async def _replay(self, why: str) -> Recovery:
        history = session_history(await self.read_log(), self.role)
        return await Replay(self.session, self.artifacts, self.limit_s).run(history, why)
