"""The sessions this worker holds: one per run and role, from its request to the end of its run."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol
from uuid import UUID, uuid5

from artifacts.port import ArtifactStore
from contracts.envelope import Event, Request, Role, outcome_id
from contracts.session import (
    CellRequested,
    FileWriteRequested,
    SessionClosed,
    SessionFailed,
    SessionOpened,
    SessionRequested,
)

from cad_worker.exchange import EnvironmentGeometry
from cad_worker.handlers import run_cell, write_file
from cad_worker.hosting.host import KernelHost
from cad_worker.sessions.messages import SessionOrder
from cad_worker.sessions.recovering import files_written, telling_once
from cad_worker.sessions.session import KernelStartError, Session
from cad_worker.sessions.tools import SessionTools

STOP_S = 10.0
"""How long a stopping worker tries to say that a session is closed."""

LOOK_EVERY_S = 0.5
"""How often it is looked whether a living worker has said that its session is closed."""

_log = logging.getLogger(__name__)

Key = tuple[UUID, Role]
Handlers = Mapping[type[Request], Callable[[Any], Awaitable[Event]]]


class Attendance(Protocol):
    """Listening to one thread."""

    async def stop(self) -> None:
        """Stop listening."""
        ...


class Runs(Protocol):
    """What sessions need of the bus."""

    async def publish(self, event: Event) -> bool:
        """Say what has happened."""
        ...

    async def ask(self, request: Request) -> Event:
        """Ask and wait for the outcome."""
        ...

    async def find(self, run_id: UUID, role: Role, id: UUID) -> Event | None:  # noqa: A002 - the chassis' word
        """Return the event with this id, if it was stored."""
        ...

    async def history(self, run_id: UUID) -> list[Event]:
        """Return all that has been said in a run so far."""
        ...

    async def until_ended(self, run_id: UUID) -> Event:
        """Wait for the end of a run."""
        ...


class Threads(Protocol):
    """Who listens to which thread: of the chassis' app, what a session needs."""

    async def attend(self, run_id: UUID, role: Role, handlers: Handlers, /) -> Attendance:
        """Listen to a thread's requests."""
        ...

    async def attended(self, run_id: UUID, role: Role, /) -> bool:
        """Tell whether a living worker, this one or another, listens already."""
        ...


@dataclass
class OpenSession:
    """A session and what keeps it."""

    session: Session
    cause: SessionRequested
    ready_s: float
    attendance: Attendance
    watch: asyncio.Task[None]


class SessionTable:
    """Opens sessions, listens for them and closes them when their run ends or the worker stops."""

    def __init__(self, host: KernelHost, artifacts: ArtifactStore, runs: Runs, threads: Threads) -> None:
        self._host = host
        self._artifacts = artifacts
        self._runs = runs
        self._threads = threads
        self._open: dict[Key, OpenSession] = {}

    async def start(self) -> None:
        """Begin with no session."""

    async def stop(self) -> None:
        """Close every session."""
        for key in list(self._open):
            try:
                async with asyncio.timeout(STOP_S):
                    await self._close(key, "worker_stopped")
            except TimeoutError:
                _log.warning("nobody could be told that the session of %s in run %s is closed", key[1], key[0])

    async def open(self, request: SessionRequested) -> SessionOpened | SessionFailed:
        """Open the kernel and its workspace and begin to listen; the same answer if it is open already."""
        key = (request.run_id, request.role)
        if key not in self._open:
            started = time.monotonic()
            try:
                session = await self._new_session(request)
            except KernelStartError as error:
                return SessionFailed.answering(request, "cad-worker", reason="kernel_failed", detail=str(error))
            await self._keep(key, request, session, time.monotonic() - started)
        held = self._open[key]
        files = await asyncio.to_thread(held.session.workspace.files)
        return SessionOpened.answering(request, "cad-worker", ready_s=held.ready_s, files=files)

    async def look_after(self, request: SessionRequested) -> None:
        """Open the session anew, on the files that the log knows, if the worker that held it is dead."""
        if not await self._is_orphaned(request):
            return
        started = time.monotonic()
        files = files_written(await self._runs.history(request.run_id), request.role)
        try:
            session = await self._new_session(request)
        except KernelStartError as error:
            await self._runs.publish(_lost(request, str(error)))
            return
        for path, text in files.items():
            session.workspace.write(path, text)
        await self._keep((request.run_id, request.role), request, session, time.monotonic() - started, anew=True)
        _log.warning("the session of %s in run %s goes on here, its worker died", request.role, request.run_id)

    async def close_for_the_dead(self, end: Event) -> list[Event]:
        """Once the run is over, return what its sessions' workers owe if they died before they could say it."""
        history = await self._runs.history(end.run_id)
        opened = {event.causation_id for event in history if isinstance(event, SessionOpened)}
        owed = [event for event in history if isinstance(event, SessionRequested) and event.id in opened]
        said = [await self._said_or_owed(request) for request in owed]
        return [closed for closed in said if closed is not None]

    async def _said_or_owed(self, request: SessionRequested) -> SessionClosed | None:
        """Wait until a session is said to be closed; return what is to be said if nobody lives who will."""
        closed = _closed(request, "run_ended")
        while await self._runs.find(request.run_id, request.role, closed.id) is None:
            if not await self._threads.attended(request.run_id, request.role):
                return closed
            await asyncio.sleep(LOOK_EVERY_S)
        return None

    async def _is_orphaned(self, request: SessionRequested) -> bool:
        """Tell whether the session was opened and nobody holds it; what was never opened is delivered again anyway."""
        run_id, role = request.run_id, request.role
        if (run_id, role) in self._open:
            return False
        opened = await self._runs.find(run_id, role, outcome_id(request.id))
        return isinstance(opened, SessionOpened) and not await self._threads.attended(run_id, role)

    async def _new_session(self, request: SessionRequested) -> Session:
        environment = request.environment
        brep, step, glb = await asyncio.gather(
            *(self._artifacts.get(ref) for ref in (environment.brep, environment.step, environment.glb))
        )
        geometry = EnvironmentGeometry(brep=brep, solids=environment.solids, digest=environment.digest)
        order = SessionOrder(assignment=request.assignment, environment=geometry)
        read_only = {"plan.md": request.plan_md.encode(), "environment.step": step, "environment.glb": glb}
        writable = {"todo.md": request.todo_md, "journal.md": "# Journal\n"}
        return await self._host.open_session(order, read_only, writable)

    async def _keep(
        self, key: Key, request: SessionRequested, session: Session, ready_s: float, *, anew: bool = False
    ) -> None:
        tools = SessionTools(self._host, self._artifacts, self._runs.ask, session.order)
        run = partial(run_cell, session=session, tools=tools, host=self._host, artifacts=self._artifacts)
        handlers: Handlers = {
            CellRequested: telling_once(run) if anew else run,
            FileWriteRequested: partial(write_file, session=session),
        }
        try:
            attendance = await self._threads.attend(request.run_id, request.role, handlers)
        except BaseException:  # such as a cancellation because the run has ended: nobody else knows this session
            await session.close()
            raise
        watch = asyncio.create_task(self._close_at_end(key), name=f"waits for the end of run {request.run_id}")
        self._open[key] = OpenSession(session, request, ready_s, attendance, watch)

    async def _close_at_end(self, key: Key) -> None:
        await self._runs.until_ended(key[0])
        await self._close(key, "run_ended")

    async def _close(self, key: Key, reason: Literal["run_ended", "worker_stopped"]) -> None:
        held = self._open.pop(key, None)
        if held is None:
            return
        if held.watch is not asyncio.current_task():
            held.watch.cancel()
            await asyncio.gather(held.watch, return_exceptions=True)
        held.session.end()
        await held.attendance.stop()
        await held.session.close()
        await self._runs.publish(_closed(held.cause, reason))


def _closed(cause: SessionRequested, reason: Literal["run_ended", "worker_stopped"]) -> SessionClosed:
    return SessionClosed(
        id=uuid5(cause.id, "closed"),
        run_id=cause.run_id,
        kind=cause.kind,
        role=cause.role,
        causation_id=cause.id,
        producer="cad-worker",
        reason=reason,
    )


def _lost(cause: SessionRequested, detail: str) -> SessionFailed:
    return SessionFailed(
        id=uuid5(cause.id, "lost"),
        run_id=cause.run_id,
        kind=cause.kind,
        role=cause.role,
        causation_id=cause.id,
        producer="cad-worker",
        reason="kernel_failed",
        detail=f"its worker died, and no other could open it: {detail}",
    )
