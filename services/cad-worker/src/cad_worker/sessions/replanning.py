"""A session is asked for again when its run has a new plan: the plan's files are laid anew, and all else stays."""

import asyncio
import time
from collections.abc import Iterable

from chassis.leases import Lease
from contracts.envelope import Event
from contracts.session import SessionOpened, SessionRequested

from cad_worker.sessions.session import Session


def lay_plan(session: Session, request: SessionRequested) -> None:
    """Put the plan and the TODO list of this request in the place of those that are there. Twice is once."""
    session.workspace.replace_read_only("plan.md", request.plan_md.encode())
    session.workspace.write("todo.md", request.todo_md)


async def said_open(request: SessionRequested, session: Session, lease: Lease, ready_s: float) -> SessionOpened:
    """Return that a session is open, with all files that are there."""
    files = await asyncio.to_thread(session.workspace.files)
    return SessionOpened.answering(request, "cad-worker", ready_s=ready_s, files=files, epoch=lease.epoch)


async def open_again(
    request: SessionRequested, first: SessionRequested, session: Session, lease: Lease, started: float
) -> SessionOpened:
    """Answer within the session: what opened it as it was answered then, and a later request once its plan is laid."""
    if request.id != first.id:
        await asyncio.to_thread(lay_plan, session, request)
    return await said_open(request, session, lease, time.monotonic() - started)


def first_of(history: Iterable[Event], request: SessionRequested) -> SessionRequested:
    """Return the request that opened this request's session, which may be itself."""
    for event in history:
        if isinstance(event, SessionRequested) and event.role == request.role:
            return event
    return request


def openers(history: Iterable[Event]) -> list[SessionRequested]:
    """Return of each session that was opened the request that opened it."""
    events = list(history)
    opened = {event.causation_id for event in events if isinstance(event, SessionOpened)}
    asked = [event for event in events if isinstance(event, SessionRequested)]
    return [event for event in asked if event.id in opened and first_of(asked, event) is event]
