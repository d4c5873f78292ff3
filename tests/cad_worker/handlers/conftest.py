"""A run whose session is open, over a bus and artifacts in memory."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from artifacts.testing import FakeArtifacts
from cad_worker.handlers import build_environment
from cad_worker.hosting.host import KernelHost
from cad_worker.sessions.table import SessionTable
from chassis.leases import Leases
from chassis.testing import FakeBus, FakeLedger
from contracts.engineering import EnvironmentBuilt
from contracts.session import SessionOpened

from tests.cad_worker.handlers.run import NoLinter, Run

LEASE_TTL_S = 0.2


class FirstAndNext:
    """The leases of the worker that has the session, and of the one that is to have it."""

    def __init__(self) -> None:
        ledger = FakeLedger()
        self.side = ledger.side()
        self.first = Leases("first", self.side, LEASE_TTL_S)
        self.next = Leases("next", ledger.side(), LEASE_TTL_S)

    async def part(self) -> None:
        """Cut the first worker off, for longer than a lease lasts."""
        self.side.is_away = True
        await asyncio.sleep(2 * LEASE_TTL_S)


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
async def leases() -> AsyncIterator[FirstAndNext]:
    """What two workers hold."""
    both = FirstAndNext()
    await both.first.start()
    await both.next.start()
    yield both
    await both.first.stop()
    await both.next.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def sessions(
    a_run: Run, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus, leases: FirstAndNext
) -> AsyncIterator[SessionTable]:
    """A table of sessions."""
    table = SessionTable(host, artifacts, bus, a_run, leases.first, NoLinter())
    yield table
    await table.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def opened(a_run: Run, built: EnvironmentBuilt, sessions: SessionTable) -> SessionOpened:
    """The run's session, open."""
    answer = await sessions.open(await a_run.wants_session(built.environment))
    assert isinstance(answer, SessionOpened)
    return answer
