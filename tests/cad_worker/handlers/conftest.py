"""A run whose session is open, over a bus and artifacts in memory."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from artifacts.testing import FakeArtifacts
from cad_worker.handlers import build_environment
from cad_worker.host import KernelHost
from cad_worker.sessions.manager import SessionManager
from chassis.testing import FakeBus
from contracts.events.run import EnvironmentBuilt
from contracts.events.session import SessionOpened, SessionRequested

from tests.cad_worker.handlers.logged_client import LoggedClient, ToolCounts, Workers
from tests.cad_worker.handlers.run_client import RunClient
from tests.cad_worker.handlers.worker_leases import WorkerLeases


@pytest.fixture
def artifacts() -> FakeArtifacts:
    """Return artifacts in memory."""
    return FakeArtifacts()


@pytest.fixture
def bus() -> FakeBus:
    """Return a bus in memory."""
    return FakeBus()


@pytest.fixture
def a_run(artifacts: FakeArtifacts) -> RunClient:
    """Return a run."""
    return RunClient(artifacts)


@pytest_asyncio.fixture(loop_scope="session")
async def built(a_run: RunClient, host: KernelHost, artifacts: FakeArtifacts) -> EnvironmentBuilt:
    """The run's environment."""
    answer = await build_environment(await a_run.environment_request(), host, artifacts)
    assert isinstance(answer, EnvironmentBuilt)
    return answer


@pytest_asyncio.fixture(loop_scope="session")
async def leases() -> AsyncIterator[WorkerLeases]:
    """What two workers hold."""
    both = WorkerLeases()
    await both.first.start()
    await both.next.start()
    yield both
    await both.first.stop()
    await both.next.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def sessions(
    a_run: RunClient, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus, leases: WorkerLeases
) -> AsyncIterator[SessionManager]:
    """A table of sessions."""
    table = SessionManager(host, artifacts, bus, a_run.serve_thread, leases.first)
    yield table
    await table.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def opened(a_run: RunClient, built: EnvironmentBuilt, sessions: SessionManager) -> SessionOpened:
    """The run's session, open."""
    answer = await sessions.open(await a_run.session_request(built.environment))
    assert isinstance(answer, SessionOpened)
    return answer


@pytest.fixture
def tables(a_run: RunClient, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus, leases: WorkerLeases) -> Workers:
    return Workers(a_run, host, artifacts, bus, leases.next)


@pytest.fixture
def talk(a_run: RunClient, bus: FakeBus) -> LoggedClient:
    return LoggedClient(a_run, bus)


@pytest.fixture
def asked_tools(host: KernelHost, bus: FakeBus, monkeypatch: pytest.MonkeyPatch) -> ToolCounts:
    return ToolCounts(host, bus, monkeypatch)


@pytest_asyncio.fixture(loop_scope="session")
async def asked(a_run: RunClient, built: EnvironmentBuilt, sessions: SessionManager, bus: FakeBus) -> SessionRequested:
    """A session that is open in the first worker."""
    asked = await a_run.session_request(built.environment)
    await bus.publish(asked)
    await bus.publish(await sessions.open(asked))
    return asked


@pytest_asyncio.fixture(loop_scope="session")
async def next_worker(sessions: SessionManager, tables: Workers) -> AsyncIterator[SessionManager]:
    """A worker that knows nothing but the log."""
    del sessions  # is there first
    table = tables.new()
    yield table
    await table.stop()
