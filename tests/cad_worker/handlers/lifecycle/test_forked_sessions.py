"""A session of a forked run goes on from a cell of an earlier run, with the record of its session alone."""

import pytest
from artifacts.port import put_json
from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from cad_worker.kernels import WorkerKernels
from chassis.testing import FakeBus
from contracts.events.session import SessionFailed, SessionOpened, SessionRequested
from contracts.models.continuation import SessionEvent, SessionRecord
from kernel_host.session_manager.manager import SessionManager
from kernel_host.session_manager.recorded_sessions import rebuild_session
from run_requests.continuation import until_cell
from run_requests.earlier_cells import cells_md, session_record

from tests.cad_worker.handlers.logged_client import BUILDS, DIES, QUOTES, LoggedClient, ToolCounts, recovery_of
from tests.cad_worker.handlers.run_client import RunClient
from tests.cad_worker.handlers.worker_leases import WorkerLeases

pytestmark = pytest.mark.asyncio(loop_scope="session")

FORKED_AT = len(BUILDS) + 1


async def test_forked_session_has_the_variables_and_files_of_the_earlier_cell(  # noqa: PLR0917 - fixtures
    logged: LoggedClient,
    open_request: SessionRequested,
    bus: FakeBus,
    host: KernelHost,
    artifacts: FakeArtifacts,
    leases: WorkerLeases,
    tool_counts: ToolCounts,
) -> None:
    for code in BUILDS:
        await logged.run_cell(code)
    await logged.write_file("sizes.py", "WIDTH = 12\n")
    await logged.run_cell(QUOTES)
    await logged.run_cell("made = 0")
    earlier = until_cell(bus.events, "engineer", FORKED_AT)
    record = await session_record(earlier, None, artifacts)
    assert record is not None
    client = RunClient(artifacts)
    asked = (await client.session_request(open_request.environment)).model_copy(
        update={"record": await put_json(artifacts, record), "todo_md": "# TODO\n\n- [ ] T1: another way\n"}
    )
    await bus.publish(asked)
    manager = SessionManager(WorkerKernels(host, artifacts), artifacts, bus, client.serve_thread, leases.first)
    fork = LoggedClient(client, bus)
    quotes = tool_counts.quotes
    try:
        opened = await manager.open(asked)
        assert isinstance(opened, SessionOpened)
        assert "sizes.py" in opened.files
        await bus.publish(opened)
        seen = await fork.run_cell("from sizes import WIDTH\nprint(made, WIDTH, half == luck, price is not None)")
        assert (seen.status, seen.output) == ("ok", "42 12 True True\n")
        recovery = recovery_of(seen)
        assert (recovery.is_fork, recovery.replayed_cells, recovery.different, recovery.lost) == (
            True,
            FORKED_AT,
            (),
            (),
        )
        assert "made" in recovery.restored
        (session,) = manager.sessions
        assert "another way" in str(session.workspace.read("todo.md"))
        assert (await fork.run_cell("made")).recovery is None
        assert not recovery_of(await fork.run_cell(DIES)).is_fork
        assert (await fork.run_cell("print(made, WIDTH)")).output == "42 12\n"
    finally:
        await manager.stop()
    assert tool_counts.quotes == quotes
    own = [event for event in bus.events if event.run_id == client.id]
    rebuilt = await rebuild_session(
        until_cell(own, "engineer", 1), "engineer", WorkerKernels(host, artifacts), artifacts
    )
    try:
        assert (await rebuilt.evaluate("print(made, WIDTH)")).output == "42 12\n"
    finally:
        await rebuilt.session.close()
    text = cells_md(earlier)
    assert "made = twice(21)" in text
    assert "made = 0" not in text


async def test_record_that_cannot_be_read_fails_the_session(
    open_request: SessionRequested, bus: FakeBus, host: KernelHost, artifacts: FakeArtifacts, leases: WorkerLeases
) -> None:
    client = RunClient(artifacts)
    broken = SessionRecord(events=(SessionEvent(subject=open_request.full_subject, body="{}"),))
    asked = (await client.session_request(open_request.environment)).model_copy(
        update={"record": await put_json(artifacts, broken)}
    )
    await bus.publish(asked)
    manager = SessionManager(WorkerKernels(host, artifacts), artifacts, bus, client.serve_thread, leases.first)
    outcome = await manager.open(asked)
    await manager.stop()
    assert isinstance(outcome, SessionFailed)
    assert (outcome.reason, "record of the earlier session" in outcome.detail) == ("workspace_failed", True)
