"""Further requests for an open session: its plan is replaced, or another design is reviewed."""

import asyncio
import time
from dataclasses import dataclass

from artifacts.port import ArtifactStore
from chassis.leases.lease import Lease
from contracts.envelope import answering
from contracts.events.benchmark import BenchmarkSessionRequested
from contracts.events.session import SessionFailed, SessionOpened, SessionRequested
from documents.workspaces.archive import InvalidWorkspaceError

from cad_worker.drafts.author_files import author_order, own_files, read_only_files
from cad_worker.sessions.session import KernelStartError, Session
from cad_worker.sessions.session_history import OpeningRequest
from cad_worker.sessions.setup import review_files, with_review


@dataclass(frozen=True)
class SessionReopener:
    """Answers the requests for an open session."""

    first: SessionRequested | BenchmarkSessionRequested
    session: Session
    lease: Lease
    artifacts: ArtifactStore
    started_s: float
    """Start of the opening, on the monotonic clock."""

    async def answer(self, request: SessionRequested | BenchmarkSessionRequested) -> SessionOpened | SessionFailed:
        """Answer the first request as before, and a further one when the session has what it requests."""
        started_s = self.started_s
        if request.id != self.first.id:
            started_s = time.monotonic()
            try:
                await reopen(self.session, request, self.artifacts)
            except (KernelStartError, InvalidWorkspaceError) as error:
                return SessionFailed(**answering(request, "cad-worker"), reason="kernel_failed", detail=str(error))
        return await session_opened(request, self.session, self.lease, time.monotonic() - started_s)


async def reopen(
    session: Session, request: SessionRequested | BenchmarkSessionRequested, artifacts: ArtifactStore
) -> None:
    """Replace the session's plan, or let it review another design or draft in a new kernel; idempotent."""
    if request.reviewed is None:
        await asyncio.to_thread(session.workspace.replace_read_only, "plan.md", request.plan_md.encode())
        await asyncio.to_thread(session.workspace.write, "todo.md", request.todo_md)
        await session.accept_documents()
    elif isinstance(request, BenchmarkSessionRequested):
        await session.restart(author_order(request), read_only_files(request), own_files(request))
    else:
        order = await with_review(session.order, request.reviewed, artifacts)
        await session.restart(order, await review_files(request, artifacts), None)


async def session_opened(request: OpeningRequest, session: Session, lease: Lease, ready_s: float) -> SessionOpened:
    """Return the outcome of a request whose session is open, with its files."""
    files = await asyncio.to_thread(session.workspace.files)
    return SessionOpened(**answering(request, "cad-worker"), ready_s=ready_s, files=files, epoch=lease.epoch)
