"""A session belongs to the worker that holds its lease, and to nobody else."""

import asyncio
from uuid import uuid4

import pytest
from cad_worker.sessions.manager import SessionManager
from chassis.errors import LeaseLostError
from chassis.testing import FakeBus
from contracts.events.run import EnvironmentBuilt, RunFailed
from contracts.events.session import SessionClosed, SessionRequested

from tests.cad_worker.handlers.logged_client import LoggedClient, take_over
from tests.cad_worker.handlers.run_client import RunClient
from tests.cad_worker.handlers.worker_leases import LEASE_TTL_S, WorkerLeases

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_session_that_a_living_worker_holds_is_left_to_it(
    a_run: RunClient, talk: LoggedClient, asked: SessionRequested, sessions: SessionManager, next_worker: SessionManager
) -> None:
    await talk.run_cell("kept = 5")
    handlers = a_run.handlers
    await asyncio.sleep(3 * LEASE_TTL_S)
    await next_worker.take_over_if_orphaned(asked)
    await sessions.take_over_if_orphaned(asked)
    await next_worker.wait_for_takeovers()
    assert a_run.handlers is handlers
    assert (await talk.run_cell("kept")).output == "5\n"


async def test_a_worker_that_comes_back_to_a_session_that_was_taken_over_kills_its_kernel_and_says_nothing(  # noqa: PLR0917
    a_run: RunClient,
    talk: LoggedClient,
    asked: SessionRequested,
    sessions: SessionManager,
    next_worker: SessionManager,
    leases: WorkerLeases,
    bus: FakeBus,
) -> None:
    await talk.run_cell("kept = 5")
    fence = a_run.fence
    assert fence is not None
    (held,) = sessions.sessions
    await take_over(next_worker, asked, leases)
    assert a_run.fence is not fence
    leases.side.is_away = False
    with pytest.raises(LeaseLostError):
        await fence()
    while held.workspace.folder.exists():  # noqa: ASYNC110 - it closes by itself
        await asyncio.sleep(0.01)
    assert held.is_ending
    assert not [event for event in bus.events if isinstance(event, SessionClosed)]
    assert (await talk.complete_cell("kept")).epoch == 2
    await sessions.take_over_if_orphaned(asked)
    assert not sessions.sessions


async def test_a_session_that_was_never_opened_is_left_to_its_redelivery(
    a_run: RunClient, built: EnvironmentBuilt, next_worker: SessionManager
) -> None:
    await next_worker.take_over_if_orphaned(await a_run.session_request(built.environment))
    await next_worker.wait_for_takeovers()
    assert not a_run.handlers


async def test_a_session_whose_worker_died_at_the_end_of_its_run_is_closed_by_the_next_one(
    a_run: RunClient, asked: SessionRequested, next_worker: SessionManager, leases: WorkerLeases
) -> None:
    await leases.cut_off_first()
    (closed,) = await next_worker.close_orphans(_end(a_run))
    assert isinstance(closed, SessionClosed)
    assert (closed.causation_id, closed.role, closed.reason) == (asked.id, "engineer", "run_ended")


async def test_a_session_that_its_worker_closes_is_closed_once(
    a_run: RunClient, asked: SessionRequested, sessions: SessionManager, next_worker: SessionManager, bus: FakeBus
) -> None:
    looking = asyncio.create_task(next_worker.close_orphans(_end(a_run)))
    await asyncio.sleep(0.1)
    assert not looking.done()
    await bus.publish(_end(a_run))
    assert await looking == []
    assert sum(isinstance(event, SessionClosed) for event in await bus.history(a_run.id)) == 1


def _end(a_run: RunClient) -> RunFailed:
    return RunFailed(id=uuid4(), run_id=a_run.id, role="planner", producer="test", reason="cancelled", detail="done")
