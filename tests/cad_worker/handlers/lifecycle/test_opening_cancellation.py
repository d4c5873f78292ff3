"""A session whose run ends while it is being opened: no other event would close it."""

import asyncio
from contextlib import suppress
from pathlib import Path
from uuid import UUID

import pytest
from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from cad_worker.kernels import WorkerKernels
from chassis.bus import Fence
from chassis.testing import FakeBus
from contracts.envelope import Role
from contracts.events.run import EnvironmentBuilt
from kernel_host.session_manager.manager import SessionManager
from kernel_host.session_manager.session_thread import Handlers

from tests.cad_worker.handlers.run_client import RunClient, SilentSubscription
from tests.cad_worker.handlers.worker_leases import WorkerLeases

pytestmark = pytest.mark.asyncio(loop_scope="session")


class UnansweredClient(RunClient):
    """Its broker never confirms a subscription."""

    def __init__(self, artifacts: FakeArtifacts) -> None:
        super().__init__(artifacts)
        self.is_subscribing = asyncio.Event()

    async def serve_thread(self, _run_id: UUID, _role: Role, handlers: Handlers, fence: Fence) -> SilentSubscription:
        """Never come back."""
        del handlers, fence
        self.is_subscribing.set()
        await asyncio.sleep(3600)
        return SilentSubscription()


async def test_session_cancelled_before_its_subscription_is_closed(  # noqa: PLR0917 - fixtures
    host: KernelHost,
    artifacts: FakeArtifacts,
    bus: FakeBus,
    built: EnvironmentBuilt,
    leases: WorkerLeases,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    def workspaces() -> set[Path]:
        return {path.parent for path in tmp_path_factory.getbasetemp().glob("kernels0/*/*/todo.md")}

    run = UnansweredClient(artifacts)
    before = workspaces()
    opening = asyncio.create_task(
        SessionManager(WorkerKernels(host, artifacts), artifacts, bus, run.serve_thread, leases.first).open(
            await run.session_request(built.environment)
        )
    )
    await run.is_subscribing.wait()
    assert len(workspaces() - before) == 1
    opening.cancel()
    with suppress(asyncio.CancelledError):
        await opening
    assert workspaces() == before
