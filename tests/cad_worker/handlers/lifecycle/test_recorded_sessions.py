"""Sessions are rebuilt from events and artifacts alone, as they were after any cell."""

import pytest
from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from cad_worker.kernels import WorkerKernels
from chassis.testing import FakeBus
from contracts.events.session import SessionRequested
from kernel_host.session_manager.recorded_sessions import NoSessionError, rebuild_session
from run_requests.continuation import until_cell
from run_requests.errors import UnknownCellError

from tests.cad_worker.handlers.logged_client import BUILDS, QUOTES, SIMULATES, LoggedClient, ToolCounts

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_kernel_is_rebuilt_as_it_was_after_a_cell(  # noqa: PLR0917 - fixtures
    logged: LoggedClient,
    open_request: SessionRequested,
    bus: FakeBus,
    host: KernelHost,
    artifacts: FakeArtifacts,
    tool_counts: ToolCounts,
) -> None:
    seen = [await logged.run_cell(code) for code in (*BUILDS, QUOTES, SIMULATES)]
    await logged.write_file("sizes.py", "WIDTH = 12\n")
    await logged.run_cell("luck, made, price = 0, 0, 0")
    calls = (tool_counts.quotes, tool_counts.simulations)
    rebuilt = await rebuild_session(
        until_cell(bus.events, "engineer", 9), "engineer", WorkerKernels(host, artifacts), artifacts
    )
    try:
        assert rebuilt.is_as_recorded, (rebuilt.recovery, rebuilt.different_outputs)
        assert set(rebuilt.recovery.restored) == {each.name for cell in seen for each in cell.variables}
        shown = await rebuilt.evaluate("print(half == luck > 0, price is not None)\nmade")
        assert (shown.status, shown.output) == ("ok", "True True\n42\n")
        assert (await rebuilt.evaluate("import sizes")).status == "refused", "the file was written later"
        again = await rebuilt.evaluate(QUOTES)
        assert again.error is not None
        assert "rebuilt from the record" in again.error.message
    finally:
        await rebuilt.session.close()
    assert (tool_counts.quotes, tool_counts.simulations) == calls


async def test_difference_to_the_record_is_named(
    logged: LoggedClient, open_request: SessionRequested, bus: FakeBus, host: KernelHost, artifacts: FakeArtifacts
) -> None:
    await logged.run_cell("import time\nnow = time.time_ns()\nprint(now)\nthen = 1")
    rebuilt = await rebuild_session(bus.events, "engineer", WorkerKernels(host, artifacts), artifacts)
    await rebuilt.session.close()
    assert not rebuilt.is_as_recorded
    assert rebuilt.different_outputs == (1,)
    assert (rebuilt.recovery.different, rebuilt.recovery.restored) == (("now",), ("then",))


async def test_cell_or_session_that_never_was_is_refused(
    logged: LoggedClient, open_request: SessionRequested, bus: FakeBus, host: KernelHost, artifacts: FakeArtifacts
) -> None:
    await logged.run_cell("1")
    with pytest.raises(UnknownCellError, match="no cell 2: it completed 1 cell"):
        until_cell(bus.events, "engineer", 2)
    with pytest.raises(NoSessionError, match="critic had no session"):
        await rebuild_session(bus.events, "critic", WorkerKernels(host, artifacts), artifacts)
