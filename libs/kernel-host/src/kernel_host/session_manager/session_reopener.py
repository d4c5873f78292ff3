"""Further requests for an open session: its plan is replaced, or another design is reviewed."""

import asyncio
import time
from dataclasses import dataclass

from chassis.leases.lease import Lease
from contracts.envelope import answering
from contracts.events.benchmark import BenchmarkSessionRequested
from contracts.events.session import SessionFailed, SessionOpened, SessionRequested
from documents.workspaces.archive import InvalidWorkspaceError

from kernel_host.kernels import Kernels
from kernel_host.producer import PRODUCER
from kernel_host.sessions.session import KernelStartError, Session
from kernel_host.sessions.session_history import OpeningRequest


@dataclass(frozen=True)
class SessionReopener:
    """Answers the requests for an open session."""

    first: SessionRequested | BenchmarkSessionRequested
    session: Session
    lease: Lease
    kernels: Kernels
    started_s: float
    """Start of the opening, on the monotonic clock."""

    async def answer(self, request: SessionRequested | BenchmarkSessionRequested) -> SessionOpened | SessionFailed:
        """Answer the first request as before, and a further one when the session has what it requests."""
        started_s = self.started_s
        if request.id != self.first.id:
            started_s = time.monotonic()
            try:
                await reopen(self.session, request, self.kernels)
            except (KernelStartError, InvalidWorkspaceError) as error:
                return SessionFailed(**answering(request, PRODUCER), reason="kernel_failed", detail=str(error))
        return await session_opened(request, self.session, self.lease, time.monotonic() - started_s)


async def reopen(session: Session, request: SessionRequested | BenchmarkSessionRequested, kernels: Kernels) -> None:
    """Replace the session's plan, or let it review another design or draft in a new kernel; idempotent."""
    if request.reviewed is None:
        await asyncio.to_thread(session.workspace.replace_read_only, "plan.md", request.plan_md.encode())
        await asyncio.to_thread(session.workspace.write, "todo.md", request.todo_md)
        await session.accept_documents()
    else:
        await kernels.review(session, request)


async def session_opened(request: OpeningRequest, session: Session, lease: Lease, ready_s: float) -> SessionOpened:
    """Return the outcome of a request whose session is open, with its files."""
    files = await asyncio.to_thread(session.workspace.files)
    return SessionOpened(**answering(request, PRODUCER), ready_s=ready_s, files=files, epoch=lease.epoch)
