"""The thread of one open session: what answers its requests, in their order."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from artifacts.port import ArtifactStore
from chassis.bus import Bus
from chassis.leases.lease import Lease
from chassis.turns import Turns
from contracts.envelope import Event, Request
from contracts.events.benchmark import BenchmarkSessionRequested
from contracts.events.question import QuestionSessionRequested
from contracts.events.session import (
    CellCompleted,
    CellRequested,
    FileEditRequested,
    FileRefused,
    FileViewed,
    FileViewRequested,
    FileWriteRequested,
    FileWritten,
    SessionRequested,
)

from kernel_host.cell_handlers import run_cell
from kernel_host.file_handlers import edit_file, view_file, write_file
from kernel_host.kernels import Kernels
from kernel_host.session_manager.earlier_sessions import earlier_events, is_fork
from kernel_host.session_manager.recovery import SessionRecovery
from kernel_host.session_manager.session_reopener import SessionReopener
from kernel_host.sessions.journal_entries import SkillNotices, add_entries
from kernel_host.sessions.session import Session
from kernel_host.sessions.session_history import OpeningRequest
from kernel_host.tools.requests import ToolRequests

RunCell = Callable[[CellRequested], Awaitable[CellCompleted]]
Ask = Callable[[Request], Awaitable[Event]]


class CellTurns:
    """Runs one cell after another, each in a turn."""

    def __init__(self, turns: Turns, ask: Ask) -> None:
        self._turns = turns
        self._ask = ask
        self._turn = AsyncExitStack()
        self._cell: CellRequested | None = None

    async def run(self, cell: CellRequested, run_cell: RunCell) -> CellCompleted:
        """Run a cell in a turn."""
        self._cell = cell
        try:
            await self._turn.enter_async_context(self._turns.taken(cell))
            return await run_cell(cell)
        finally:
            await self._turn.aclose()

    async def ask(self, request: Request) -> Event:
        """Publish the request of a tool and wait for its outcome without a turn, then for the next turn."""
        assert self._cell is not None, "only a running cell has tools"
        await self._turn.aclose()
        outcome = await self._ask(request)
        await self._turn.enter_async_context(self._turns.taken(self._cell))
        return outcome


Handlers = Mapping[type[Request], Callable[[Any], Awaitable[Event]]]


@dataclass
class SessionThread:
    """Answers the requests of one session."""

    request: OpeningRequest
    session: Session
    lease: Lease
    kernels: Kernels
    artifacts: ArtifactStore
    bus: Bus
    turns: Turns
    replay_s: float
    """For running completed cells again."""
    started_s: float
    """Start of the opening, on the monotonic clock."""

    def __post_init__(self) -> None:
        """Prepare the tools of the session's cells, and its recovery."""
        request = self.request
        self._turns = CellTurns(self.turns, ToolRequests(self.bus).ask)
        self._tools = self.kernels.tools(request, self.session, self._turns.ask, self._log)
        self._recovery = SessionRecovery(
            self.session, self.kernels, request.role, self._run_in_turn, self._events, self.artifacts, self.replay_s
        )
        self._notices = SkillNotices(request.skills if isinstance(request, SessionRequested) else (), self.bus)

    @property
    def handlers(self) -> Handlers:
        """What answers each class of request."""
        handlers: Handlers = {
            CellRequested: self._run_cell,
            FileWriteRequested: self._write_file,
            FileEditRequested: self._edit_file,
            FileViewRequested: self._view_file,
        }
        if isinstance(self.request, QuestionSessionRequested):
            return handlers
        reopener = SessionReopener(self.request, self.session, self.lease, self.kernels, self.started_s)
        return {SessionRequested: reopener.answer, BenchmarkSessionRequested: reopener.answer, **handlers}

    async def restore(self, *, is_replayed: bool) -> None:
        """Run again what the log has of a session that is not new, or of the one that it goes on from."""
        if is_replayed:
            await self._recovery.take_over()
            history = await self._log()
            self._tools.images.load_history(history, self.request.role)
            self._tools.trials.load_history(history, self.request.role)
        elif is_fork(self.request):
            await self._recovery.go_on()

    async def _run_cell(self, request: CellRequested) -> CellCompleted:
        await add_entries(request, self.session, self.bus)
        return await self._notices.add_to(await self._recovery.run(request, self.lease.epoch))

    async def _write_file(self, request: FileWriteRequested) -> FileWritten | FileRefused:
        await add_entries(request, self.session, self.bus)
        return await write_file(request, self.session.workspace)

    async def _edit_file(self, request: FileEditRequested) -> FileWritten | FileRefused:
        await add_entries(request, self.session, self.bus)
        return await edit_file(request, self.session.workspace)

    async def _view_file(self, request: FileViewRequested) -> FileViewed | FileRefused:
        await add_entries(request, self.session, self.bus)
        return await view_file(request, self.session.workspace)

    async def _run_in_turn(self, request: CellRequested) -> CellCompleted:
        return await self._turns.run(request, self._run)

    async def _run(self, request: CellRequested) -> CellCompleted:
        return await run_cell(request, self.session, self._tools, self.artifacts)

    async def _log(self) -> list[Event]:
        return await self.bus.history(self.request.run_id)

    async def _events(self) -> list[Event]:
        """Return the events of the earlier session, if there is one, and those of the session's own run."""
        return [*await earlier_events(self.request, self.artifacts), *await self._log()]
