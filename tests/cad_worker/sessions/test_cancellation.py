"""Cancelled work, as when its run ends, leaves no process and no file, and delays no other work."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from cad_worker.host import KernelHost
from cad_worker.session_protocol import SessionOrder, SimulationAnswer
from kernel_host.protocol import KernelCall
from kernel_host.sessions.session import Cell, Session
from pydantic import BaseModel

from tests.cad_worker.cells import run
from tests.support.processes import current_folders

pytestmark = pytest.mark.asyncio(loop_scope="session")

SIMULATES = "import build123d as bd\nfrom utils import simulate\nbox = bd.Box(1, 1, 1)\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root sees in which folder a kernel works")
async def test_cancelled_cell_kills_its_kernel(session: Session) -> None:
    is_called = asyncio.Event()

    async def answer(_call: KernelCall, _ordinal: int) -> BaseModel:
        is_called.set()
        return SimulationAnswer(problem="no")

    session.workspace.write("mine.py", "ANSWER = 42\n")
    code = f"{SIMULATES}try:\n    simulate(box)\nexcept RuntimeError:\n    pass\nwhile True:\n    pass"
    cell = asyncio.create_task(session.run(Cell(code, "cell", 0, 3600.0), answer))
    await is_called.wait()
    assert len(_kernels_in(session.workspace.folder)) == 1
    await _cancelled(cell)
    assert _kernels_in(session.workspace.folder) == set()
    assert (await run(session, "from mine import ANSWER\nANSWER")).observation.output == "42\n"


async def test_cell_that_waits_for_a_tool_can_be_cancelled(session: Session) -> None:
    is_called = asyncio.Event()

    async def answer(_call: KernelCall, _ordinal: int) -> BaseModel:
        is_called.set()
        await asyncio.sleep(3600)
        return SimulationAnswer(problem="too late")

    cell = asyncio.create_task(session.run(Cell(f"{SIMULATES}simulate(box)", "cell", 0, 60.0), answer))
    await is_called.wait()
    await _cancelled(cell)
    assert _kernels_in(session.workspace.folder) == set()
    assert (await run(session, "1 + 1")).observation.output == "2\n"


async def test_kernel_whose_tool_call_raised_does_not_take_the_next_cell_for_its_answer(session: Session) -> None:
    async def answer(_call: KernelCall, _ordinal: int) -> BaseModel:
        raise LookupError("a surprise")

    with pytest.raises(LookupError, match="a surprise"):
        await session.run(Cell(f"{SIMULATES}simulate(box)\nprint('went on')", "cell", 0, 60.0), answer)
    assert (await run(session, "1 + 1")).observation.output == "2\n"


@pytest.mark.parametrize("pause_s", [0.0, 0.002, 0.01, 0.05])
async def test_cancelled_opening_leaves_nothing(
    host: KernelHost, order: SessionOrder, session: Session, pause_s: float
) -> None:
    """`session` only shows the folder of all workspaces."""
    scratch_root = session.workspace.folder.parent
    before = set(scratch_root.iterdir())
    opening = asyncio.create_task(host.open_session(order, {}, {}))
    await asyncio.sleep(pause_s)
    await _cancelled(opening)
    if not opening.cancelled():  # it was faster
        await opening.result().close()
    await _until(lambda: set(scratch_root.iterdir()) == before)
    assert _kernels_beneath(scratch_root) == _kernels_in(session.workspace.folder)


def _kernels_beneath(scratch_root: Path) -> set[int]:
    """Return the processes that work in a folder of the scratch root, whether it still exists or not."""
    return {pid for pid, path in current_folders().items() if path.startswith(f"{scratch_root}/")}


def _kernels_in(folder: Path) -> set[int]:
    """Return the processes that work in a folder."""
    return {pid for pid, path in current_folders().items() if path == str(folder)}


async def _cancelled(task: "asyncio.Task[object]") -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def _until(true: Callable[[], bool]) -> None:
    while not true():  # noqa: ASYNC110 - the file system sets no event
        await asyncio.sleep(0.02)
