"""An author's session in the first worker: its requests and outcomes are in the event log."""

from functools import partial
from typing import Any

import pytest
import pytest_asyncio
from agent.loop.role import Prompts
from artifacts.testing import FakeArtifacts
from benchmark_generator.messages import todo_md
from chassis.testing import FakeBus
from contracts.events.benchmark import BenchmarkSessionRequested, CertificationRequested
from contracts.events.session import SessionOpened
from kernel_host.session_manager.manager import SessionManager
from sim_worker.simulator import Simulator
from sim_worker.world_handlers import certify_worlds

from tests.benchmark_generator.generator_harness import TEXTS, benchmark_requested
from tests.cad_worker.handlers.logged_client import LoggedClient
from tests.cad_worker.handlers.run_client import R, RunClient

REPLICAS = 2


class AuthorClient(RunClient):
    """Makes the requests of a benchmark-generator."""

    def request(self, request: type[R], **fields: object) -> R:
        """Return a request of the author."""
        made = super().request(request, **fields)
        changes: dict[str, Any] = {"role": "benchmark-generator", "producer": "benchmark-generator"}
        return made.model_copy(update={**changes, "kind": "benchmark"})

    def author_request(self, plan_md: str = "# Benchmark plan\n", **brief: object) -> BenchmarkSessionRequested:
        """Return the author's request for a session."""
        asked = benchmark_requested(replicas=REPLICAS, **brief)
        fields = {"plan_md": plan_md, "todo_md": todo_md(Prompts("benchmark_generator"))}
        return self.request(BenchmarkSessionRequested, brief=asked.brief, **fields)


@pytest.fixture
def client(artifacts: FakeArtifacts) -> AuthorClient:
    return AuthorClient(artifacts)


@pytest.fixture
def certified(bus: FakeBus, artifacts: FakeArtifacts) -> list[CertificationRequested]:
    """The requests that sim-worker's own handler has answered."""
    answered: list[CertificationRequested] = []
    certify = partial(certify_worlds, artifacts=artifacts, simulator=Simulator(1))

    async def answer(request: CertificationRequested) -> Any:
        answered.append(request)
        return await certify(request)

    bus.answers(CertificationRequested, answer)
    return answered


@pytest_asyncio.fixture(loop_scope="session")
async def author(
    client: AuthorClient, manager: SessionManager, bus: FakeBus, logged: LoggedClient
) -> BenchmarkSessionRequested:
    """The request of a session that is open in the first worker; its files are those of a benchmark that holds."""
    request = client.author_request()
    await bus.publish(request)
    opened = await manager.open(request)
    assert isinstance(opened, SessionOpened), opened
    await bus.publish(opened)
    for path, text in TEXTS.items():
        await logged.write_file(path, text)
    return request
