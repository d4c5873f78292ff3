"""The sessions this worker holds: one per run and role, from its request to the end of its run."""

import asyncio
import logging
import time
from dataclasses import dataclass
from functools import partial
from typing import Literal
from uuid import UUID

from artifacts.port import ArtifactStore, ArtifactsUnavailableError
from chassis.leases.lease import Lease, Leases, LeaseStoreUnavailableError
from contracts.envelope import Event, Role, outcome_id
from contracts.events.session import (
    CellRequested,
    FileEditRequested,
    FileViewRequested,
    FileWriteRequested,
    SessionClosed,
    SessionFailed,
    SessionOpened,
    SessionRequested,
)

from cad_worker.handlers import edit_file, run_cell, view_file, write_file
from cad_worker.host import KernelHost
from cad_worker.job_protocol import EnvironmentGeometry
from cad_worker.session_protocol import SessionOrder
from cad_worker.sessions import closing_events
from cad_worker.sessions.ports import Attendance, Handlers, Runs, Threads
from cad_worker.sessions.recovery import SessionRecovery
from cad_worker.sessions.reopening import Reopening, opening_request, opening_requests, session_opened
from cad_worker.sessions.review_files import review_files, with_review
from cad_worker.sessions.review_tools import ReviewTools
from cad_worker.sessions.session import KernelStartError, Session
from cad_worker.sessions.setup import initial_files
from cad_worker.sessions.tools import SessionTools
from cad_worker.sessions.workspace import UnfitWorkspaceError

STOP_S = 10.0
"""How long a stopping worker tries to say that a session is closed."""

TAKEOVERS_AT_ONCE = 4

LOOK_EVERY_S = 0.5
"""How often it is looked whether a living worker has said that its session is closed."""

_log = logging.getLogger(__name__)

Key = tuple[UUID, Role]
Reason = Literal["run_ended", "worker_stopped", "lease_lost"]


@dataclass
class OpenSession:
    """A session and what keeps it."""

    session: Session
    cause: SessionRequested
    lease: Lease
    ready_s: float
    attendance: Attendance
    watch: asyncio.Task[None]


class SessionManager:
    """Opens sessions whose lease it gets; closes them when their run ends, the worker stops or the lease is lost."""

    def __init__(  # noqa: PLR0913, PLR0917 - what sessions live on
        self,
        host: KernelHost,
        artifacts: ArtifactStore,
        runs: Runs,
        threads: Threads,
        leases: Leases,
        replay_s: float = 300.0,
    ) -> None:
        self._host = host
        self._artifacts = artifacts
        self._runs = runs
        self._threads = threads
        self._leases = leases
        self._replay_s = replay_s
        self._open: dict[Key, OpenSession] = {}
        self._watches: set[asyncio.Task[None]] = set()
        self._taking_over: dict[Key, asyncio.Task[None]] = {}
        self._takeovers = asyncio.Semaphore(TAKEOVERS_AT_ONCE)

    async def start(self) -> None:
        """Begin with no session."""

    async def stop(self) -> None:
        """Close every session."""
        for taking_over in self._taking_over.values():
            taking_over.cancel()
        if self._taking_over:
            await asyncio.wait(self._taking_over.values(), timeout=STOP_S)
        for key in list(self._open):
            try:
                async with asyncio.timeout(STOP_S):
                    await self._close(key, "worker_stopped")
            except TimeoutError:
                _log.warning("nobody could be told that the session of %s in run %s is closed", key[1], key[0])
        if self._watches:  # those that are closing by themselves
            await asyncio.wait(self._watches, timeout=STOP_S)

    async def open(self, request: SessionRequested) -> SessionOpened | SessionFailed:
        """Open the kernel and its workspace and begin to listen; the same answer if it is open already.

        A session that is asked for again, for a new plan, is answered by whoever attends it, in the order of its cells.
        """
        key = (request.run_id, request.role)
        first = opening_request(await self._runs.history(request.run_id), request)
        if key not in self._open or first.id != request.id:
            lease = await self._lease_or_answer(request)
            if not isinstance(lease, Lease):
                return lease
            started = time.monotonic()
            try:
                session = await self._new_session(first, lease)
            except KernelStartError as error:
                return SessionFailed.answering(request, "cad-worker", reason="kernel_failed", detail=str(error))
            except UnfitWorkspaceError as error:
                return SessionFailed.answering(request, "cad-worker", reason="workspace_failed", detail=str(error))
            await self._keep(first, lease, session, started, anew=first.id != request.id)
        held = self._open[key]
        return await session_opened(request, held.session, held.lease, held.ready_s)

    async def take_over_if_orphaned(self, request: SessionRequested) -> None:
        """Take the session over, if the worker that held it is dead: in the background, so that many go on at once."""
        key = (request.run_id, request.role)
        if key in self._open or key in self._taking_over or not await self._was_opened(request):
            return
        lease = await self._leases.acquire(_lease_key(request))
        if lease is not None and key not in self._taking_over:
            task = asyncio.create_task(self._take_over(request, lease), name=f"takes over {lease.key}")
            self._taking_over[key] = task
            task.add_done_callback(lambda _: self._taking_over.pop(key, None))

    @property
    def sessions(self) -> tuple[Session, ...]:
        """The sessions that are open here."""
        return tuple(each.session for each in self._open.values())

    async def wait_for_takeovers(self) -> None:
        """Wait for what `look_after` has begun."""
        await asyncio.gather(*self._taking_over.values())

    async def _take_over(self, request: SessionRequested, lease: Lease) -> None:
        """Open the session anew, with the files and the variables that the log knows."""
        started = time.monotonic()
        try:
            async with self._takeovers:
                first = opening_request(await self._runs.history(request.run_id), request)
                session = await self._new_session(first, lease)
                await self._keep(first, lease, session, started, anew=True)
        except (KernelStartError, UnfitWorkspaceError) as error:
            await self._runs.publish(closing_events.lost(request, str(error)))
        except (ArtifactsUnavailableError, LeaseStoreUnavailableError) as error:
            _log.warning("the session of %s in run %s waits to be taken over: %s", *lease.key.split("."), error)
        else:
            _log.warning("the session of %s in run %s goes on here, its worker died", request.role, request.run_id)

    async def close_orphans(self, end: Event) -> list[Event]:
        """Once the run is over, return what its sessions' workers owe if they died before they could say it."""
        owed = opening_requests(await self._runs.history(end.run_id))
        said = [await self._closed_or_orphaned(request) for request in owed]
        return [farewell for farewell in said if farewell is not None]

    async def _closed_or_orphaned(self, request: SessionRequested) -> SessionClosed | None:
        """Wait until a session is said to be closed; return what is to be said if nobody lives who will."""
        farewell = closing_events.closed(request, "run_ended")
        while await self._runs.find(request.run_id, request.role, farewell.id) is None:
            if (request.run_id, request.role) not in self._open:
                lease = await self._leases.acquire(_lease_key(request))
                if lease is not None:
                    await self._leases.release(lease, for_good=True)
                    return farewell
            await asyncio.sleep(LOOK_EVERY_S)
        return None

    async def _was_opened(self, request: SessionRequested) -> bool:
        """Tell whether anybody has ever opened it; what was never opened is delivered again anyway."""
        opened = await self._runs.find(request.run_id, request.role, outcome_id(request.id))
        return isinstance(opened, SessionOpened)

    async def _lease_or_answer(self, request: SessionRequested) -> Lease | SessionOpened | SessionFailed:
        """Wait for the lease, or for the answer of whoever holds it, which may be this worker."""
        key = (request.run_id, request.role)
        while True:
            if key not in self._open and key not in self._taking_over:
                lease = await self._leases.acquire(_lease_key(request))
                if lease is not None:
                    return lease
            await asyncio.sleep(LOOK_EVERY_S)
            answer = await self._runs.find(request.run_id, request.role, outcome_id(request.id))
            if isinstance(answer, SessionOpened | SessionFailed):
                return answer

    async def _new_session(self, request: SessionRequested, lease: Lease) -> Session:
        """Return the session, open; whatever keeps it from opening, the lease is let go."""
        try:
            return await self._opened(request)
        except BaseException:
            await self._leases.release(lease)
            raise

    async def _opened(self, request: SessionRequested) -> Session:
        environment = request.environment
        brep = await self._artifacts.get(environment.brep)
        geometry = EnvironmentGeometry(
            brep=brep, solids=environment.solids, digest=environment.digest, mechanism=environment.mechanism
        )
        order = SessionOrder(assignment=request.assignment, environment=geometry)
        if request.reviewed is not None:
            order = await with_review(order, request.reviewed, self._artifacts)
            return await self._host.open_session(order, await review_files(request, self._artifacts), None)
        first = await initial_files(request, self._artifacts)
        return await self._host.open_session(order, first.read_only, first.writable)

    async def _keep(
        self, request: SessionRequested, lease: Lease, session: Session, started: float, *, anew: bool = False
    ) -> None:
        """Bring it to where it was if it is not new, and listen."""
        key = (request.run_id, request.role)
        if request.reviewed is None:
            tools = SessionTools(self._host, self._artifacts, self._runs.ask, session.order, session.workspace)
        else:
            tools = ReviewTools(self._host, self._artifacts, self._runs.ask, session)
        run = partial(run_cell, session=session, tools=tools, host=self._host, artifacts=self._artifacts)
        recovering = SessionRecovery(
            session, request.role, run, partial(self._runs.history, request.run_id), self._artifacts, self._replay_s
        )
        handlers: Handlers = {
            SessionRequested: Reopening(request, session, lease, self._artifacts, started).open_again,
            CellRequested: partial(recovering.run, epoch=lease.epoch),
            FileWriteRequested: partial(write_file, workspace=session.workspace),
            FileEditRequested: partial(edit_file, workspace=session.workspace),
            FileViewRequested: partial(view_file, workspace=session.workspace),
        }
        try:
            if anew:
                await recovering.take_over()
                tools.images.load_history(await self._runs.history(request.run_id), request.role)
            attendance = await self._threads.serve_thread(*key, handlers, lease.confirmed)
        except BaseException:  # such as a cancellation because the run has ended: nobody else knows this session
            await session.close()
            await self._leases.release(lease)
            raise
        watch = asyncio.create_task(self._close_in_time(key, lease), name=f"waits for the end of run {request.run_id}")
        self._watches.add(watch)
        watch.add_done_callback(self._watches.discard)
        ready_s = time.monotonic() - started
        self._open[key] = OpenSession(session, request, lease, ready_s, attendance, watch)

    async def _close_in_time(self, key: Key, lease: Lease) -> None:
        """Wait until the run has ended, or the lease is lost."""
        end = asyncio.ensure_future(self._runs.wait_for_end(key[0]))
        loss = asyncio.create_task(lease.lost.wait())
        try:
            await asyncio.wait({end, loss}, return_when=asyncio.FIRST_COMPLETED)
            if not loss.done():
                end.result()
        finally:
            end.cancel()
            loss.cancel()
            await asyncio.gather(end, loss, return_exceptions=True)
        await self._close(key, "lease_lost" if lease.lost.is_set() else "run_ended")

    async def _close(self, key: Key, reason: Reason) -> None:
        """Kill the kernel first, so that nothing goes on; what another worker holds by now is not said to be closed."""
        held = self._open.pop(key, None)
        if held is None:
            return
        if held.watch is not asyncio.current_task():
            held.watch.cancel()
            await asyncio.gather(held.watch, return_exceptions=True)
        held.session.end()
        await held.attendance.stop()
        await held.session.close()
        if reason == "lease_lost":
            _log.warning("the session of %s in run %s is another worker's now: its kernel is killed", key[1], key[0])
            return
        await self._runs.publish(closing_events.closed(held.cause, reason))
        await self._leases.release(held.lease, for_good=reason == "run_ended")


def _lease_key(request: SessionRequested) -> str:
    return f"session.{request.run_id}.{request.role}"
