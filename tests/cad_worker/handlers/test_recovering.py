"""A session whose worker died goes on in the next one, on the files that the log knows."""

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio
from artifacts.testing import FakeArtifacts
from cad_worker.hosting.host import KernelHost
from cad_worker.sessions.recovering import LOSS
from cad_worker.sessions.table import SessionTable
from chassis.testing import FakeBus
from contracts.engineering import EnvironmentBuilt, RunFailed
from contracts.session import FileWriteRequested, SessionClosed, SessionRequested

from tests.cad_worker.handlers.conftest import FirstAndNext
from tests.cad_worker.handlers.run import Run

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def asked(a_run: Run, built: EnvironmentBuilt, sessions: SessionTable, bus: FakeBus) -> SessionRequested:
    """A session that is open in the first worker, with a variable, and a file that was written twice."""
    asked = await a_run.wants_session(built.environment)
    await bus.publish(asked)
    await bus.publish(await sessions.open(asked))
    for text in ("WIDTH = 1\n", "WIDTH = 12\n"):
        request = a_run.wants_file("sizes.py", text)
        await bus.publish(request)
        await bus.publish(await a_run.handlers[FileWriteRequested](request))
    await a_run.runs("kept = 5")
    return asked


@pytest_asyncio.fixture(loop_scope="session")
async def next_worker(
    a_run: Run, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus, leases: FirstAndNext
) -> AsyncIterator[SessionTable]:
    """A worker that knows nothing but the log."""
    table = SessionTable(host, artifacts, bus, a_run, leases.next)
    yield table
    await table.stop()


async def test_an_orphaned_session_goes_on_with_its_files_and_says_what_is_lost(
    a_run: Run, asked: SessionRequested, next_worker: SessionTable, leases: FirstAndNext
) -> None:
    await leases.part()
    await next_worker.look_after(asked)
    first = await a_run.runs("from sizes import WIDTH\nprint(WIDTH)\nkept")
    assert first.observation.output == f"{LOSS}12\n"
    assert first.observation.error is not None
    assert first.observation.error.type == "NameError"
    assert first.observation.output_chars == len(first.observation.output)
    assert (await a_run.runs("WIDTH")).observation.output == "12\n"


async def test_a_session_that_a_living_worker_holds_is_left_to_it(
    a_run: Run, asked: SessionRequested, sessions: SessionTable, next_worker: SessionTable
) -> None:
    handlers = a_run.handlers
    await next_worker.look_after(asked)
    await sessions.look_after(asked)
    assert a_run.handlers is handlers
    assert (await a_run.runs("kept")).observation.output == "5\n"


async def test_a_session_that_was_never_opened_is_left_to_its_redelivery(
    a_run: Run, built: EnvironmentBuilt, next_worker: SessionTable
) -> None:
    await next_worker.look_after(await a_run.wants_session(built.environment))
    assert not a_run.handlers


async def test_a_session_whose_worker_died_at_the_end_of_its_run_is_closed_by_the_next_one(
    a_run: Run, asked: SessionRequested, next_worker: SessionTable, leases: FirstAndNext
) -> None:
    await leases.part()
    (closed,) = await next_worker.close_for_the_dead(_end(a_run))
    assert isinstance(closed, SessionClosed)
    assert (closed.causation_id, closed.role, closed.reason) == (asked.id, "engineer", "run_ended")


async def test_a_session_that_its_worker_closes_is_closed_once(
    a_run: Run, asked: SessionRequested, sessions: SessionTable, next_worker: SessionTable, bus: FakeBus
) -> None:
    looking = asyncio.create_task(next_worker.close_for_the_dead(_end(a_run)))
    await asyncio.sleep(0.1)
    assert not looking.done()
    await bus.publish(_end(a_run))
    assert await looking == []
    assert sum(isinstance(event, SessionClosed) for event in await bus.history(a_run.id)) == 1


def _end(a_run: Run) -> RunFailed:
    return RunFailed(id=uuid4(), run_id=a_run.id, role="planner", producer="test", reason="cancelled", detail="done")
