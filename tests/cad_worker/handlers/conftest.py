"""A run whose session is open, over a bus and artifacts in memory."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from artifacts.testing import FakeArtifacts
from cad_worker.handlers import build_environment
from cad_worker.hosting.host import KernelHost
from cad_worker.sessions.table import SessionTable
from chassis.testing import FakeBus
from contracts.engineering import EnvironmentBuilt
from contracts.session import SessionOpened

from tests.cad_worker.handlers.run import Run


@pytest.fixture
def artifacts() -> FakeArtifacts:
    """Return artifacts in memory."""
    return FakeArtifacts()


@pytest.fixture
def bus() -> FakeBus:
    """Return a bus in memory."""
    return FakeBus()


@pytest.fixture
def a_run(artifacts: FakeArtifacts) -> Run:
    """Return a run."""
    return Run(artifacts)


@pytest_asyncio.fixture(loop_scope="session")
async def built(a_run: Run, host: KernelHost, artifacts: FakeArtifacts) -> EnvironmentBuilt:
    """The run's environment."""
    answer = await build_environment(await a_run.wants_environment(), host, artifacts)
    assert isinstance(answer, EnvironmentBuilt)
    return answer


@pytest_asyncio.fixture(loop_scope="session")
async def sessions(a_run: Run, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus) -> AsyncIterator[SessionTable]:
    """A table of sessions."""
    table = SessionTable(host, artifacts, bus, a_run)
    yield table
    await table.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def opened(a_run: Run, built: EnvironmentBuilt, sessions: SessionTable) -> SessionOpened:
    """The run's session, open."""
    answer = await sessions.open(await a_run.wants_session(built.environment))
    assert isinstance(answer, SessionOpened)
    return answer
