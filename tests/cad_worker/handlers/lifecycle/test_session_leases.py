"""A session belongs to the worker that holds its lease, and to no other."""

import asyncio
from uuid import uuid4

import pytest
from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from cad_worker.kernels import WorkerKernels
from chassis.errors import HandedBackError, LeaseLostError
from chassis.testing import FakeBus
from contracts.envelope import during
from contracts.events.run import EnvironmentBuilt, RunFailed
from contracts.events.session import SessionClosed, SessionOpened, SessionRequested
from kernel_host.session_manager import manager as manager_module
from kernel_host.session_manager.manager import SessionManager
from nats.errors import ConnectionClosedError

from tests.cad_worker.handlers.logged_client import LoggedClient, take_over
from tests.cad_worker.handlers.run_client import RunClient, SilentSubscription
from tests.cad_worker.handlers.worker_leases import LEASE_TTL_S, WorkerLeases

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_session_of_a_living_worker_is_not_taken_over(
    client: RunClient,
    logged: LoggedClient,
    open_request: SessionRequested,
    manager: SessionManager,
    next_manager: SessionManager,
) -> None:
    await logged.run_cell("kept = 5")
    handlers = client.handlers
    await asyncio.sleep(3 * LEASE_TTL_S)
    await next_manager.take_over_if_orphaned(open_request)
    await manager.take_over_if_orphaned(open_request)
    await next_manager.wait_for_takeovers()
    assert client.handlers is handlers
    assert (await logged.run_cell("kept")).output == "5\n"


async def test_worker_that_lost_its_lease_kills_the_kernel_silently(  # noqa: PLR0917
    client: RunClient,
    logged: LoggedClient,
    open_request: SessionRequested,
    manager: SessionManager,
    next_manager: SessionManager,
    leases: WorkerLeases,
    bus: FakeBus,
) -> None:
    await logged.run_cell("kept = 5")
    fence = client.fence
    assert fence is not None
    (held,) = manager.sessions
    await take_over(next_manager, open_request, leases)
    assert client.fence is not fence
    leases.side.is_unavailable = False
    with pytest.raises(LeaseLostError):
        await fence()
    while held.workspace.folder.exists():  # noqa: ASYNC110 - it closes by itself
        await asyncio.sleep(0.01)
    assert held.is_ending
    assert not [event for event in bus.events if isinstance(event, SessionClosed)]
    assert (await logged.complete_cell("kept")).epoch == 2
    await manager.take_over_if_orphaned(open_request)
    assert not manager.sessions


async def test_session_that_was_never_opened_is_not_taken_over(
    client: RunClient, built: EnvironmentBuilt, next_manager: SessionManager
) -> None:
    await next_manager.take_over_if_orphaned(await client.session_request(built.environment))
    await next_manager.wait_for_takeovers()
    assert not client.handlers


async def test_busy_worker_leaves_an_orphaned_session_to_others(
    logged: LoggedClient,
    open_request: SessionRequested,
    next_manager: SessionManager,
    leases: WorkerLeases,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It takes over as many sessions as it may already: it must not take the lease, which others wait for."""
    await logged.run_cell("kept = 5")
    await leases.cut_off_first()
    monkeypatch.setattr(next_manager, "_takeover_slots", asyncio.Semaphore(0))
    await next_manager.take_over_if_orphaned(open_request)
    assert not leases.next._held  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(next_manager, "_takeover_slots", asyncio.Semaphore(1))
    await next_manager.take_over_if_orphaned(open_request)
    await next_manager.wait_for_takeovers()
    assert (await logged.run_cell("kept")).output == "5\n"


async def test_orphaned_session_is_closed_at_the_end_of_its_run(
    client: RunClient, open_request: SessionRequested, next_manager: SessionManager, leases: WorkerLeases
) -> None:
    await leases.cut_off_first()
    (closed,) = await next_manager.close_orphans(_end(client))
    assert isinstance(closed, SessionClosed)
    assert (closed.causation_id, closed.role, closed.reason) == (open_request.id, "engineer", "run_ended")


async def test_session_closed_by_its_worker_is_closed_once(
    client: RunClient,
    open_request: SessionRequested,
    manager: SessionManager,
    next_manager: SessionManager,
    bus: FakeBus,
) -> None:
    looking = asyncio.create_task(next_manager.close_orphans(_end(client)))
    await asyncio.sleep(0.1)
    assert not looking.done()
    await bus.publish(_end(client))
    assert await looking == []
    assert sum(isinstance(event, SessionClosed) for event in await bus.history(client.id)) == 1


async def test_session_whose_living_worker_never_closes_it_holds_up_no_other_end(
    client: RunClient, open_request: SessionRequested, next_manager: SessionManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manager_module, "ORPHAN_WAIT_S", 0.1)
    with pytest.raises(HandedBackError, match=f"session.{open_request.run_id}.engineer is still held"):
        async with asyncio.timeout(120):
            await next_manager.close_orphans(_end(client))


class FailingSubscription(SilentSubscription):
    """Cannot be stopped, as on a connection that was closed."""

    async def stop(self) -> None:
        raise ConnectionClosedError


async def test_session_that_cannot_be_cleaned_up_is_closed_all_the_same(  # noqa: PLR0917
    client: RunClient,
    built: EnvironmentBuilt,
    host: KernelHost,
    artifacts: FakeArtifacts,
    bus: FakeBus,
    leases: WorkerLeases,
) -> None:
    """Else its lease would be renewed for ever, and every other worker would wait for its end."""

    async def serve(*_: object) -> FailingSubscription:
        return FailingSubscription()

    manager = SessionManager(WorkerKernels(host, artifacts), artifacts, bus, serve, leases.first)  # pyright: ignore[reportArgumentType] - of tests
    request = await client.session_request(built.environment)
    await bus.publish(request)
    assert isinstance(await manager.open(request), SessionOpened)
    await bus.publish(_end(client))
    closed = SessionClosed(**during(request, "closed", "cad-worker"), reason="run_ended")
    async with asyncio.timeout(120):
        while await bus.find(request.run_id, request.role, closed.id) is None:  # noqa: ASYNC110 - it closes by itself
            await asyncio.sleep(0.01)
        while await leases.next.acquire(f"session.{request.run_id}.{request.role}") is None:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.01)


def _end(client: RunClient) -> RunFailed:
    return RunFailed(id=uuid4(), run_id=client.id, role="planner", producer="test", reason="cancelled", detail="done")
