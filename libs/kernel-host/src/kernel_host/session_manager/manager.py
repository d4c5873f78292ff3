"""The session manager: opens, serves, takes over and closes the sessions of one worker, one per run and role."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from artifacts.port import ArtifactStore, ArtifactsUnavailableError
from chassis.bus import Bus, Fence
from chassis.delivery.consumer_registry import ThreadSubscription
from chassis.errors import FutureVersionError, HandedBackError
from chassis.leases.lease import Lease, Leases, LeaseStoreUnavailableError
from chassis.turns import Turns
from contracts.envelope import Event, Role, answering, during, outcome_id
from contracts.events.session import (
    SessionClosed,
    SessionFailed,
    SessionOpened,
)
from documents.workspaces.archive import InvalidWorkspaceError

from kernel_host.kernels import Kernels
from kernel_host.producer import PRODUCER
from kernel_host.session_manager.session_reopener import session_opened
from kernel_host.session_manager.session_thread import Handlers, SessionThread
from kernel_host.sessions.session import KernelStartError, Session
from kernel_host.sessions.session_history import OpeningRequest, opening_request, opening_requests

STOP_S = 10.0
"""How long a stopping worker tries to publish that a session is closed."""
PARALLEL_TAKEOVERS = 4
ORPHAN_WAIT_S = 30.0
"""How long the end of a run waits for a living worker to close its session, before other ends have their turn."""
POLL_S = 0.5
"""Interval of looking for the event of another worker."""

_log = logging.getLogger(__name__)

Key = tuple[UUID, Role]
ServeThread = Callable[[UUID, Role, Handlers, Fence], Awaitable[ThreadSubscription]]
"""Answers the requests of one thread, while the fence can be passed: `App.serve_thread`."""


@dataclass
class OpenSession:
    """A session and what it depends on."""

    session: Session
    request: OpeningRequest
    lease: Lease
    ready_s: float
    subscription: ThreadSubscription
    watch: asyncio.Task[None]
    """Closes the session at the end of its run, or when its lease is lost."""


class SessionManager:
    """Opens sessions whose lease it gets; closes them when their run ends, the worker stops or the lease is lost."""

    def __init__(  # noqa: PLR0913, PLR0917 - the dependencies of sessions
        self,
        kernels: Kernels,
        artifacts: ArtifactStore,
        bus: Bus,
        serve_thread: ServeThread,
        leases: Leases,
        replay_s: float = 300.0,
        turns: Turns | None = None,
    ) -> None:
        self._kernels = kernels
        self._artifacts = artifacts
        self._bus = bus
        self._serve_thread = serve_thread
        self._leases = leases
        self._replay_s = replay_s
        self._turns = turns or Turns(bus)
        self._open: dict[Key, OpenSession] = {}
        self._watches: set[asyncio.Task[None]] = set()
        self._opening: set[Key] = set()
        """Sessions that are being opened on request: though a lease may expire meanwhile, none is opened twice here."""
        self._takeovers: dict[Key, asyncio.Task[None]] = {}
        self._takeover_slots = asyncio.Semaphore(PARALLEL_TAKEOVERS)

    async def start(self) -> None:
        """Start without a session."""

    async def stop(self) -> None:
        """Close every session."""
        for takeover in self._takeovers.values():
            takeover.cancel()
        if self._takeovers:
            await asyncio.wait(self._takeovers.values(), timeout=STOP_S)
        for key in list(self._open):
            try:
                async with asyncio.timeout(STOP_S):
                    await self._close(key, "worker_stopped")
            except TimeoutError:
                _log.warning("could not publish SessionClosed of %s in run %s", key[1], key[0])
        if self._watches:  # of sessions that are closing by themselves
            await asyncio.wait(self._watches, timeout=STOP_S)

    @property
    def sessions(self) -> tuple[Session, ...]:
        """The sessions that are open in this worker."""
        return tuple(each.session for each in self._open.values())

    async def open(self, request: OpeningRequest) -> SessionOpened | SessionFailed:
        """Open a session and serve its thread; if it is open already, the answer is the same.

        A further request for an open session is answered by the worker that serves its thread, in the thread's order.
        """
        key = (request.run_id, request.role)
        first = opening_request(await self._bus.history(request.run_id), request)
        if key not in self._open or first.id != request.id:
            lease = await self._lease_or_outcome(request)
            if not isinstance(lease, Lease):
                return lease
            self._opening.add(key)
            try:
                await self._open_first(first, lease, is_replayed=first.id != request.id)
            except KernelStartError as error:
                return SessionFailed(**answering(request, PRODUCER), reason="kernel_failed", detail=str(error))
            except InvalidWorkspaceError as error:
                return SessionFailed(**answering(request, PRODUCER), reason="workspace_failed", detail=str(error))
            finally:
                self._opening.discard(key)
        held = self._open[key]
        return await session_opened(request, held.session, held.lease, held.ready_s)

    async def _open_first(self, first: OpeningRequest, lease: Lease, *, is_replayed: bool) -> None:
        started_s = time.monotonic()
        session = await self._new_session(first, lease)
        await self._serve(first, lease, session, started_s, is_replayed=is_replayed)

    async def take_over_if_orphaned(self, request: OpeningRequest) -> None:
        """Take the session over in the background if the worker that held it is dead.

        A worker that takes over as many as it may takes no further lease, so that other workers can.
        """
        key = (request.run_id, request.role)
        if key in self._open or not await self._was_opened(request):
            return
        if self._is_beginning(key) or self._takeover_slots.locked():
            return
        await self._takeover_slots.acquire()
        task: asyncio.Task[None] | None = None
        try:
            lease = await self._leases.acquire(_lease_key(request))
            if lease is not None and key not in self._open and not self._is_beginning(key):  # both may be new by now
                task = asyncio.create_task(self._take_over(request, lease), name=f"takes over {lease.key}")
                self._takeovers[key] = task
                task.add_done_callback(lambda _: self._end_takeover(key))
        finally:
            if task is None:
                self._takeover_slots.release()

    def _is_beginning(self, key: Key) -> bool:
        return key in self._opening or key in self._takeovers

    def _end_takeover(self, key: Key) -> None:
        del self._takeovers[key]
        self._takeover_slots.release()

    async def wait_for_takeovers(self) -> None:
        """Wait until the takeovers that have begun are done."""
        await asyncio.gather(*self._takeovers.values())

    async def close_orphans(self, end: Event) -> list[Event]:
        """Return `SessionClosed` for each session of the ended run whose worker died before it could publish that."""
        requests = opening_requests(await self._bus.history(end.run_id))
        closed = [await self._closed_if_orphaned(request) for request in requests]
        return [event for event in closed if event is not None]

    async def _closed_if_orphaned(self, request: OpeningRequest) -> SessionClosed | None:
        """Wait until a worker has closed the session, or until its lease shows that no living worker will.

        Raises `HandedBackError` if its worker lives and does not close it in time.
        """
        closed = _closed(request, "run_ended")
        began_s = time.monotonic()
        while await self._bus.find(request.run_id, request.role, closed.id) is None:
            if (request.run_id, request.role) not in self._open:
                lease = await self._leases.acquire(_lease_key(request))
                if lease is not None:
                    await self._leases.release(lease, for_good=True)
                    return closed
            if (waited_s := time.monotonic() - began_s) >= ORPHAN_WAIT_S:
                raise HandedBackError(f"{_lease_key(request)} is still held {waited_s:.0f} s after the end of its run")
            await asyncio.sleep(POLL_S)
        return None

    async def _take_over(self, request: OpeningRequest, lease: Lease) -> None:
        """Open the session with the files and variables that the event log has."""
        started_s = time.monotonic()
        try:
            history = await self._bus.history(request.run_id)
        except FutureVersionError:  # the run has just ended
            await self._leases.release(lease)
            return
        first = opening_request(history, request)
        try:
            session = await self._new_session(first, lease)
            await self._serve(first, lease, session, started_s, is_replayed=True)
        except (KernelStartError, InvalidWorkspaceError) as error:
            await self._bus.publish(_lost(request, str(error)))
        except (ArtifactsUnavailableError, LeaseStoreUnavailableError) as error:
            _log.warning("cannot take over the session of %s in run %s yet: %s", request.role, request.run_id, error)
        else:
            _log.warning("took over the session of %s in run %s, whose worker died", request.role, request.run_id)

    async def _was_opened(self, request: OpeningRequest) -> bool:
        """Tell whether a worker has opened the session; a request that was never answered is delivered again anyway."""
        outcome = await self._bus.find(request.run_id, request.role, outcome_id(request.id))
        return isinstance(outcome, SessionOpened)

    async def _lease_or_outcome(self, request: OpeningRequest) -> Lease | SessionOpened | SessionFailed:
        """Wait for the lease, or for the outcome of the worker that holds it, which may be this one."""
        key = (request.run_id, request.role)
        while True:
            if key not in self._open and not self._is_beginning(key):
                lease = await self._leases.acquire(_lease_key(request))
                if lease is not None:
                    return lease
            await asyncio.sleep(POLL_S)
            outcome = await self._bus.find(request.run_id, request.role, outcome_id(request.id))
            if isinstance(outcome, SessionOpened | SessionFailed):
                return outcome

    async def _new_session(self, request: OpeningRequest, lease: Lease) -> Session:
        """Return an open session; release the lease if that fails."""
        try:
            return await self._kernels.open(request)
        except BaseException:
            await self._leases.release(lease)
            raise

    async def _serve(
        self, request: OpeningRequest, lease: Lease, session: Session, started_s: float, *, is_replayed: bool
    ) -> None:
        """Replay the session if it is not new, and serve its thread."""
        key = (request.run_id, request.role)
        try:
            thread = SessionThread(
                request,
                session,
                lease,
                self._kernels,
                self._artifacts,
                self._bus,
                self._turns,
                self._replay_s,
                started_s,
            )
            await thread.restore(is_replayed=is_replayed)
            subscription = await self._serve_thread(*key, thread.handlers, lease.confirm)
        except BaseException:  # such as a cancellation because the run has ended: nothing else would close the session
            await session.close()
            await self._leases.release(lease)
            raise
        watch = asyncio.create_task(self._close_at_end(key, lease), name=f"waits for the end of run {request.run_id}")
        self._watches.add(watch)
        watch.add_done_callback(self._watches.discard)
        ready_s = time.monotonic() - started_s
        self._open[key] = OpenSession(session, request, lease, ready_s, subscription, watch)

    async def _close_at_end(self, key: Key, lease: Lease) -> None:
        """Close the session when its run has ended or its lease is lost."""
        end = asyncio.ensure_future(self._bus.wait_for_end(key[0]))
        loss = asyncio.create_task(lease.lost.wait())
        try:
            await asyncio.wait({end, loss}, return_when=asyncio.FIRST_COMPLETED)
            if not loss.done():
                with suppress(FutureVersionError):  # the run has ended, though only a newer version can read how
                    end.result()
        finally:
            end.cancel()
            loss.cancel()
            await asyncio.gather(end, loss, return_exceptions=True)
        await self._close(key, "lease_lost" if lease.lost.is_set() else "run_ended")

    async def _close(self, key: Key, reason: Literal["run_ended", "worker_stopped", "lease_lost"]) -> None:
        """Kill the kernel before anything else; publish no end of a session that another worker holds by now."""
        held = self._open.pop(key, None)
        if held is None:
            return
        if held.watch is not asyncio.current_task():
            held.watch.cancel()
            await asyncio.gather(held.watch, return_exceptions=True)
        held.session.end()
        async with AsyncExitStack() as last:
            # Whatever fails: a lease that is never released would be renewed for ever, while other workers wait for it.
            last.push_async_callback(self._hand_back, key, held, reason)
            last.push_async_callback(held.session.close)
            await held.subscription.stop()

    async def _hand_back(
        self, key: Key, held: OpenSession, reason: Literal["run_ended", "worker_stopped", "lease_lost"]
    ) -> None:
        if reason == "lease_lost":
            _log.warning("another worker holds the session of %s in run %s now: its kernel is killed", key[1], key[0])
            return
        await self._bus.publish(_closed(held.request, reason))
        await self._leases.release(held.lease, for_good=reason == "run_ended")


def _lease_key(request: OpeningRequest) -> str:
    return f"session.{request.run_id}.{request.role}"


def _closed(request: OpeningRequest, reason: Literal["run_ended", "worker_stopped"]) -> SessionClosed:
    """Return the event of a closed session; its id is the same whichever worker publishes it."""
    return SessionClosed(**during(request, "closed", PRODUCER), reason=reason)


def _lost(request: OpeningRequest, detail: str) -> SessionFailed:
    """Return the event of a session that was lost with its worker, and that no other could open."""
    detail = f"its worker died, and no other could open it: {detail}"
    return SessionFailed(**during(request, "lost", PRODUCER), reason="kernel_failed", detail=detail)
