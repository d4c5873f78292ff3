"""The worker survives random cells, which leave nothing behind. `./run fuzz` runs 10,000 of them."""

import pytest
from cad_worker.host import KernelHost
from cad_worker.session_protocol import SessionOrder
from kernel_host.sessions.session import Session

from tests.fuzz.cells import random_cells
from tests.fuzz.fuzzer import fuzz

CELLS = 50
SEED = 4


@pytest.mark.asyncio(loop_scope="session")
async def test_random_cells_do_not_stop_the_worker_and_leave_nothing(
    host: KernelHost, order: SessionOrder, session: Session
) -> None:
    """`session` is only there to show where workspaces lie."""
    cells = random_cells(CELLS, SEED)
    report = await fuzz(host, order, session.workspace.folder.parent, cells)
    assert report.after == report.before
    assert sum(report.statuses.values()) == len(cells) == CELLS
    assert {"ok", "error", "refused", "killed"} <= set(report.statuses)
