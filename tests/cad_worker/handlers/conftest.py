"""A run with a session, over a bus and artifacts in memory."""

from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest
import pytest_asyncio
from artifacts.testing import FakeArtifacts
from cad_worker.handlers import build_environment
from cad_worker.host import KernelHost
from cad_worker.kernels import WorkerKernels
from chassis.testing import FakeBus
from contracts.envelope import answering
from contracts.events.run import EnvironmentBuilt
from contracts.events.session import SessionOpened, SessionRequested
from kernel_host.session_manager.manager import SessionManager

from tests.cad_worker.handlers.logged_client import LoggedClient, ToolCounts, Workers
from tests.cad_worker.handlers.run_client import RunClient
from tests.cad_worker.handlers.worker_leases import WorkerLeases


@pytest.fixture
def artifacts() -> FakeArtifacts:
    return FakeArtifacts()


@pytest.fixture
def bus() -> FakeBus:
    return FakeBus()


@pytest.fixture
def client(artifacts: FakeArtifacts) -> RunClient:
    return RunClient(artifacts)


class FirstBuild(NamedTuple):
    """The environment as the first run had it built, and its artifacts."""

    outcome: EnvironmentBuilt
    artifacts: FakeArtifacts


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def first_build(host: KernelHost) -> FirstBuild:
    artifacts = FakeArtifacts()
    answer = await build_environment(await RunClient(artifacts).environment_request(), host, artifacts)
    assert isinstance(answer, EnvironmentBuilt)
    return FirstBuild(answer, artifacts)


@pytest_asyncio.fixture(loop_scope="session")
async def built(client: RunClient, first_build: FirstBuild, artifacts: FakeArtifacts) -> EnvironmentBuilt:
    """The run's environment, as built for the first run: each build takes two children and 0.3 s of CPU."""
    artifacts.blobs |= first_build.artifacts.blobs
    fields = {name: getattr(first_build.outcome, name) for name in ("environment", "scene", "build_s")}
    return EnvironmentBuilt(**answering(await client.environment_request(), "cad-worker"), **fields)


@pytest_asyncio.fixture(loop_scope="session")
async def leases() -> AsyncIterator[WorkerLeases]:
    """The leases of two workers."""
    both = WorkerLeases()
    await both.first.start()
    await both.next.start()
    yield both
    await both.first.stop()
    await both.next.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def manager(
    client: RunClient, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus, leases: WorkerLeases
) -> AsyncIterator[SessionManager]:
    """The first worker's session manager."""
    manager = SessionManager(WorkerKernels(host, artifacts), artifacts, bus, client.serve_thread, leases.first)
    yield manager
    await manager.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def opened(client: RunClient, built: EnvironmentBuilt, manager: SessionManager) -> SessionOpened:
    """The engineer's session in the first worker, opened without an entry in the log."""
    answer = await manager.open(await client.session_request(built.environment))
    assert isinstance(answer, SessionOpened)
    return answer


@pytest.fixture
def workers(
    client: RunClient, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus, leases: WorkerLeases
) -> Workers:
    return Workers(client, host, artifacts, bus, leases.next)


@pytest.fixture
def logged(client: RunClient, bus: FakeBus) -> LoggedClient:
    return LoggedClient(client, bus)


@pytest.fixture
def tool_counts(host: KernelHost, bus: FakeBus, monkeypatch: pytest.MonkeyPatch) -> ToolCounts:
    return ToolCounts(host, bus, monkeypatch)


@pytest_asyncio.fixture(loop_scope="session")
async def open_request(
    client: RunClient, built: EnvironmentBuilt, manager: SessionManager, bus: FakeBus
) -> SessionRequested:
    """The request of a session that is open in the first worker, as the log has it."""
    request = await client.session_request(built.environment)
    await bus.publish(request)
    await bus.publish(await manager.open(request))
    return request


@pytest_asyncio.fixture(loop_scope="session")
async def next_manager(manager: SessionManager, workers: Workers) -> AsyncIterator[SessionManager]:
    """The session manager of another worker, which has nothing but the log."""
    del manager  # it must be started before
    next_manager = workers.new()
    yield next_manager
    await next_manager.stop()
