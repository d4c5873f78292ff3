"""An author's session survives its kernel and its worker: files, variables and tests come from the log."""

import pytest
from benchmarks.loader import CODE, WITNESS
from chassis.testing import FakeBus
from contracts.envelope import answering
from contracts.events.benchmark import BenchmarkSessionRequested, CertificationRequested, GenerationFailed
from contracts.events.session import SessionClosed
from kernel_host.session_manager.manager import SessionManager

from tests.benchmark_generator.generator_harness import TEXTS
from tests.cad_worker.handlers.authors.conftest import AuthorClient
from tests.cad_worker.handlers.authors.test_author_cells import NOTE, SETTLE, SUBMIT, TEST
from tests.cad_worker.handlers.logged_client import DIES, LoggedClient, file_digests, recovery_of
from tests.cad_worker.handlers.worker_leases import WorkerLeases

pytestmark = pytest.mark.asyncio(loop_scope="session")
LOOK = "from utils import create\nworld = create()\nsound = world.is_sound\n"
OTHER = TEXTS[WITNESS] + "# another one\n"


@pytest.mark.full
async def test_killed_kernel_is_replayed_without_another_test(
    logged: LoggedClient, author: BenchmarkSessionRequested, certified: list[CertificationRequested]
):
    await logged.run_cell(LOOK)
    await logged.run_cell(f"{TEST}held = tested.is_certified")
    killed = await logged.run_cell(f"held = None\n{DIES}")
    assert killed.status == "killed"
    recovery = recovery_of(killed)
    assert recovery.replayed_cells == 2
    assert {"sound", "held", "tested", "world"} <= {*recovery.restored, *recovery.different}
    assert {"sound", "held"} <= set(recovery.restored)
    assert len(certified) == 1
    after = await logged.run_cell("print(held, sound, len(tested.worlds))")
    assert after.output == "True True 1\n"


async def test_next_worker_restores_files_and_counts_the_tests(  # noqa: PLR0917 - two workers
    logged: LoggedClient,
    author: BenchmarkSessionRequested,
    manager: SessionManager,
    next_manager: SessionManager,
    leases: WorkerLeases,
    certified: list[CertificationRequested],
):
    await logged.run_cell(TEST)
    await logged.run_cell(f"from utils import write\nwrite({WITNESS!r}, {OTHER!r})\n{SETTLE}")
    before = file_digests(manager)
    await leases.cut_off_first()
    await next_manager.take_over_if_orphaned(author)
    await next_manager.wait_for_takeovers()
    assert file_digests(next_manager) == before
    refused = await logged.complete_cell(SUBMIT)
    assert recovery_of(refused.observation).replayed_cells == 2
    assert refused.observation.error is not None
    assert "no entry for simulation 1 of 1" in refused.observation.error.message
    accepted = await logged.complete_cell(f"{NOTE}{SUBMIT}")
    assert accepted.files is not None
    assert accepted.files.witness_py == OTHER
    assert len(certified) == 1


async def test_second_plan_is_replayed_in_order(
    logged: LoggedClient,
    author: BenchmarkSessionRequested,
    client: AuthorClient,
    bus: FakeBus,
    *,
    next_manager: SessionManager,
    leases: WorkerLeases,
):
    await logged.run_cell(SETTLE)
    again = client.author_request(plan_md="# Plan B\n")
    await bus.publish(again)
    await bus.publish(await client.handlers[BenchmarkSessionRequested](again))
    await logged.run_cell('todo.check("T1")')
    await leases.cut_off_first()
    await next_manager.take_over_if_orphaned(author)
    await next_manager.wait_for_takeovers()
    (session,) = next_manager.sessions
    assert session.workspace.read("plan.md") == "# Plan B\n"
    seen = await logged.run_cell("print([item.state for item in todo.items])")
    assert seen.output == "['done', 'open', 'open', 'open']\n"


async def test_session_is_closed_at_the_end_of_the_run(
    author: BenchmarkSessionRequested, manager: SessionManager, bus: FakeBus
):
    asked = author.model_copy(update={"id": author.run_id})
    await bus.publish(GenerationFailed(**answering(asked, "benchmark-generator"), reason="cancelled", detail="enough"))
    await manager.close_orphans(bus.events[-1])
    (closed,) = (event for event in bus.events if isinstance(event, SessionClosed))
    assert (closed.reason, closed.role) == ("run_ended", "benchmark-generator")
    assert manager.sessions == ()


HOSTILE = {
    "endless": "while True:\n    pass\n",
    "stubborn": "while True:\n    try:\n        sum(range(9))\n    except BaseException:\n        pass\n",
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", HOSTILE)
async def test_endless_environment_ends_at_the_cells_limit_and_loses_nothing(
    name: str, logged: LoggedClient, author: BenchmarkSessionRequested
):
    await logged.run_cell("kept = 5")
    await logged.write_file(CODE, HOSTILE[name])
    seen = await logged.run_cell("from utils import create\ncreate()", timeout_s=1.0)
    assert seen.status in {"timeout", "killed"}
    await logged.write_file(CODE, TEXTS[CODE])
    after = await logged.run_cell(f"{LOOK}print(kept, sound)")
    assert after.status == "ok", after.error
    assert after.output.endswith("5 True\n")


ESCAPES = {
    "process": "import subprocess\n\nsubprocess.run(['id'], check=True)\n",
    "network": "import socket\n\nsocket.create_connection(('127.0.0.1', 4222), timeout=2)\n",
    "file": "from pathlib import Path\n\nPath('/tmp/outside').write_text('x')\n",
    "memory": "held = bytearray(64 << 30)\n",
}


@pytest.mark.parametrize("name", ESCAPES)
async def test_environment_that_tries_to_escape_is_refused_in_kernel_and_test(
    name: str, logged: LoggedClient, author: BenchmarkSessionRequested, certified: list[CertificationRequested]
):
    await logged.write_file(CODE, ESCAPES[name])
    seen = await logged.run_cell("from utils import create\nprint(create().is_sound)")
    assert seen.output.endswith("False\n"), seen
    assert "environment.py: code_failed: line" in seen.output
    tested = await logged.complete_cell(f"{TEST}print(tested.findings[0].stage)")
    assert tested.observation.output.endswith("environment\n"), tested.observation
    assert "code_failed" in tested.observation.output
    assert certified == []
