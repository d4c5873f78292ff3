"""Round trip of a cell through NATS to a cad-worker in another process."""

import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID, uuid4

from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.administration.provisioning import provision
from chassis.app import App
from chassis.settings import BusSettings
from contracts.events.run import EnvironmentBuilt, EnvironmentRequested
from contracts.events.session import CellCompleted, CellRequested, SessionOpened, SessionRequested
from local_stack.processes.child_process import ProcessSpec
from local_stack.processes.supervisor import Supervisor
from local_stack.servers.server_stack import ServerStack
from local_stack.settings import inherited_environment

from tests.support.kernel_world import ENVIRONMENT_CODE, SMALL_CELL, assignment

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Worker:
    """A cad-worker process."""

    environment: dict[str, str]
    log: Path
    name: str = "cad-worker"

    def prepare(self) -> None:
        """Do nothing: the process needs no preparation."""

    def program(self) -> ProcessSpec:
        """Return the command of the process."""
        command = (sys.executable, "-m", "cad_worker")
        return ProcessSpec(self.name, command, ROOT, self.log, inherited_environment() | self.environment)

    def ready(self) -> bool:
        """Return True always: requests published earlier are answered after the start."""
        return True


async def round_trips(count: int) -> list[float]:
    """Return the milliseconds from the request of `x = 1` to its observation."""
    async with _requester() as (requester, artifacts):
        run_id = uuid4()
        await _open_session(requester, artifacts, run_id)
        spent_ms: list[float] = []
        for _ in range(count):
            began = time.perf_counter()
            request = CellRequested(
                id=uuid4(), run_id=run_id, role="engineer", producer="engineer", purpose="measure", code=SMALL_CELL
            )
            outcome = await requester.bus.ask(request)
            assert isinstance(outcome, CellCompleted), outcome
            spent_ms.append(1000 * (time.perf_counter() - began))
        return spent_ms


@asynccontextmanager
async def _requester() -> AsyncGenerator[tuple[App, Artifacts]]:
    with TemporaryDirectory() as folder:
        stack = ServerStack(Path(folder), only=("nats-server", "seaweedfs"))
        stack.start()
        supervisor = Supervisor()
        try:
            s3 = S3Settings(
                s3_endpoint=stack.s3.endpoint,
                s3_access_key=stack.s3.access_key,
                s3_secret_key=stack.s3.secret_key,
                artifacts_spool=Path(folder) / "spool",
            )
            bus = BusSettings(nats_url=stack.nats_url)
            await provision(bus)
            supervisor.launch([Worker(_environment(s3, bus), Path(folder) / "cad-worker.log")])
            app, artifacts = App("engineer", bus), Artifacts(s3)
            app.add_resource(artifacts)
            await app.start()
            yield app, artifacts
            await app.stop()
        finally:
            supervisor.stop()
            stack.stop()


def _environment(s3: S3Settings, bus: BusSettings) -> dict[str, str]:
    return {
        "NATS_URL": bus.nats_url,
        "S3_ENDPOINT": s3.s3_endpoint,
        "S3_ACCESS_KEY": s3.s3_access_key,
        "S3_SECRET_KEY": s3.s3_secret_key,
        "ARTIFACTS_SPOOL": str(s3.artifacts_spool),
    }


async def _open_session(requester: App, artifacts: Artifacts, run_id: UUID) -> None:
    given = assignment(await artifacts.put(ENVIRONMENT_CODE.encode(), "text/x-python"))
    request = EnvironmentRequested(id=uuid4(), run_id=run_id, role="planner", producer="planner", assignment=given)
    built = await requester.bus.ask(request)
    assert isinstance(built, EnvironmentBuilt), built
    opened = await requester.bus.ask(
        SessionRequested(
            id=uuid4(),
            run_id=run_id,
            role="engineer",
            producer="engineer",
            assignment=given,
            environment=built.environment,
            plan_md="# Plan\n",
            todo_md="",
        )
    )
    assert isinstance(opened, SessionOpened), opened
