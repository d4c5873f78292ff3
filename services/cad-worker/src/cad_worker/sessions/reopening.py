"""A session is asked for again when its run has a new plan: the plan's files are laid anew, and all else stays."""

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass

from artifacts.port import ArtifactStore
from chassis.leases.lease import Lease
from contracts.envelope import Event
from contracts.events.session import SessionFailed, SessionOpened, SessionRequested

from cad_worker.sessions.review_files import reopen_review
from cad_worker.sessions.session import KernelStartError, Session
from cad_worker.sessions.workspace import UnfitWorkspaceError


async def reopen(session: Session, request: SessionRequested, artifacts: ArtifactStore) -> None:
    """Lay out what a session is asked for again: another plan, or another design to review. Twice is once."""
    if request.reviewed is None:
        await asyncio.to_thread(_lay_plan, session, request)
    else:
        await reopen_review(session, request, artifacts)


def _lay_plan(session: Session, request: SessionRequested) -> None:
    session.workspace.replace_read_only("plan.md", request.plan_md.encode())
    session.workspace.write("todo.md", request.todo_md)


async def session_opened(request: SessionRequested, session: Session, lease: Lease, ready_s: float) -> SessionOpened:
    """Return that a session is open, with all files that are there."""
    files = await asyncio.to_thread(session.workspace.files)
    return SessionOpened.answering(request, "cad-worker", ready_s=ready_s, files=files, epoch=lease.epoch)


@dataclass(frozen=True)
class Reopening:
    """A session that is open, for whoever asks for it."""

    first: SessionRequested
    session: Session
    lease: Lease
    artifacts: ArtifactStore
    started_s: float
    """When it was begun, on the monotonic clock."""

    async def open_again(self, request: SessionRequested) -> SessionOpened | SessionFailed:
        """Answer what opened the session as it was answered then, and a later request once its files are laid."""
        if request.id != self.first.id:
            try:
                await reopen(self.session, request, self.artifacts)
            except (KernelStartError, UnfitWorkspaceError) as error:
                return SessionFailed.answering(request, "cad-worker", reason="kernel_failed", detail=str(error))
        return await session_opened(request, self.session, self.lease, time.monotonic() - self.started_s)


def opening_request(history: Iterable[Event], request: SessionRequested) -> SessionRequested:
    """Return the request that opened this request's session, which may be itself."""
    for event in history:
        if isinstance(event, SessionRequested) and event.role == request.role:
            return event
    return request


def opening_requests(history: Iterable[Event]) -> list[SessionRequested]:
    """Return of each session that was opened the request that opened it."""
    events = list(history)
    opened = {event.causation_id for event in events if isinstance(event, SessionOpened)}
    asked = [event for event in events if isinstance(event, SessionRequested)]
    return [event for event in asked if event.id in opened and opening_request(asked, event) is event]
