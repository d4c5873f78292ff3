"""A critic's kernel for a draft: the draft's files, further worlds, other machines, and nothing to submit."""

from typing import Any

import pytest
import pytest_asyncio
from artifacts.testing import FakeArtifacts
from benchmarks.author_texts import FIELDS
from benchmarks.loader import CODE, WITNESS
from chassis.testing import FakeBus
from contracts.events.benchmark import BenchmarkSessionRequested, CertificationRequested
from contracts.events.session import SessionOpened
from contracts.models.benchmark import BenchmarkFiles
from kernel_host.session_manager.manager import SessionManager

from tests.benchmark_generator.generator_harness import TEXTS
from tests.cad_worker.handlers.authors.conftest import AuthorClient
from tests.cad_worker.handlers.logged_client import LoggedClient
from tests.cad_worker.handlers.run_client import R
from tests.cad_worker.handlers.worker_leases import WorkerLeases

pytestmark = pytest.mark.asyncio(loop_scope="session")

FILES = BenchmarkFiles(**{field: TEXTS[path] for path, field in FIELDS.items()})
NOT_A_MACHINE = """
from build123d import Box, Compound, Pos
block = Pos(-140, -90, 5) * Box(10, 10, 10)
block.label, block.metadata = "block", {"manufacturing_method": "3d_printing", "material_id": "pla"}
assembly = Compound(label="assembly", children=[block])
"""


class ReviewClient(AuthorClient):
    """Makes the requests of a critic."""

    def request(self, request: type[R], **fields: object) -> R:
        """Return a request of the critic."""
        changes: dict[str, Any] = {"role": "critic", "producer": "critic"}
        return super().request(request, **fields).model_copy(update=changes)

    def review_request(self, files: BenchmarkFiles = FILES) -> BenchmarkSessionRequested:
        """Return the request for a kernel with a draft."""
        return self.author_request().model_copy(update={"todo_md": "", "reviewed": files})


@pytest.fixture
def client(artifacts: FakeArtifacts) -> ReviewClient:
    return ReviewClient(artifacts)


@pytest_asyncio.fixture(loop_scope="session")
async def review(client: ReviewClient, manager: SessionManager, bus: FakeBus) -> BenchmarkSessionRequested:
    """The request of a session that is open in the first worker."""
    request = client.review_request()
    await bus.publish(request)
    opened = await manager.open(request)
    assert isinstance(opened, SessionOpened), opened
    await bus.publish(opened)
    return request


async def test_critic_certifies_a_further_seed_of_the_draft_and_without_its_machine(
    logged: LoggedClient, review: BenchmarkSessionRequested, certified: list[CertificationRequested]
):
    seen = await logged.run_cell("from utils import test, write\nprint(test(seeds=(101,)).is_certified)")
    assert seen.output.endswith("True\n"), seen.error
    seen = await logged.run_cell(
        f'write("{WITNESS}", """{NOT_A_MACHINE}""")\nfound = test(seeds=(101,))\nprint(found.findings[0].stage)'
    )
    assert seen.output.endswith("simulation\n"), seen.error
    assert [[world.seed for world in each.worlds] for each in certified] == [[101], [101]]


@pytest.mark.parametrize("code", ["submit_for_review()", "refuse_plan('too hard')"])
async def test_critic_neither_submits_nor_refuses(code: str, logged: LoggedClient, review: BenchmarkSessionRequested):
    completed = await logged.complete_cell(f"from utils import *\n{code}")
    assert completed.observation.error is not None
    assert "a review ends with your verdict" in completed.observation.error.message
    assert (completed.files, completed.ending) == (None, None)


async def test_next_draft_is_reviewed_in_a_new_kernel_after_a_takeover_too(
    logged: LoggedClient,
    review: BenchmarkSessionRequested,
    client: ReviewClient,
    bus: FakeBus,
    *,
    next_manager: SessionManager,
    leases: WorkerLeases,
):
    await logged.run_cell("kept = 5")
    again = client.review_request(FILES.model_copy(update={"environment_py": "# draft 2\n"}))
    await bus.publish(again)
    await bus.publish(await client.handlers[BenchmarkSessionRequested](again))
    assert (await logged.run_cell("mine = 1")).status == "ok"
    await leases.cut_off_first()
    await next_manager.take_over_if_orphaned(review)
    await next_manager.wait_for_takeovers()
    (session,) = next_manager.sessions
    assert session.workspace.read(CODE) == "# draft 2\n"
    seen = await logged.run_cell("print(mine)\nkept")
    assert seen.output.startswith("1\n")
    assert seen.error is not None
    assert "kept" in seen.error.message
