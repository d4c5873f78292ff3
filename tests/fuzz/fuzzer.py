"""Runs random cells in real kernels and counts the resources that the worker holds before and after."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cad_worker.host import KernelHost
from cad_worker.session_protocol import SessionOrder

from tests.support.kernel_world import run

CELL_S = 0.4
CELLS_OF_A_SESSION = 25
CONCURRENT_SESSIONS = 4
"""Several, because a session waits for a kernel that must be killed."""
CATCH_UP_S = 60.0


@dataclass(frozen=True)
class Resources:
    """Resources that a worker holds."""

    descriptors: int
    processes: int
    folders: int


@dataclass(frozen=True)
class FuzzReport:
    """Statuses of the cells, and the resources of the worker before and after them."""

    cells: int
    statuses: Counter[str]
    """By status."""
    before: Resources
    after: Resources


async def fuzz(host: KernelHost, order: SessionOrder, workspaces: Path, cells: Sequence[str]) -> FuzzReport:
    """Run the cells in concurrent sessions; a new session must work afterwards. `workspaces` is their folder."""
    before = _held_resources(workspaces)
    statuses: Counter[str] = Counter()
    batches = [cells[start : start + CELLS_OF_A_SESSION] for start in range(0, len(cells), CELLS_OF_A_SESSION)]

    async def work() -> None:
        while batches:
            await _session(host, order, batches.pop(), statuses)

    await asyncio.gather(*(work() for _ in range(CONCURRENT_SESSIONS)))
    await _session(host, order, ["x = 41"], Counter())
    return FuzzReport(len(cells), statuses, before, await _settled(workspaces, before))


async def _session(host: KernelHost, order: SessionOrder, cells: Sequence[str], statuses: Counter[str]) -> None:
    session = await host.open_session(order, {}, {})
    try:
        for code in cells:
            outcome = await run(session, code, CELL_S)
            statuses[outcome.observation.status] += 1
            assert outcome.observation.model_dump_json().encode(), code
    finally:
        await session.close()


async def _settled(workspaces: Path, before: Resources) -> Resources:
    """Return the held resources once they equal `before`, or after `CATCH_UP_S`."""
    try:
        async with asyncio.timeout(CATCH_UP_S):
            while (now := _held_resources(workspaces)) != before:  # noqa: ASYNC110 - the system sets no event
                await asyncio.sleep(0.05)
    except TimeoutError:
        return _held_resources(workspaces)
    return now


def _held_resources(workspaces: Path) -> Resources:
    folders = [_working_folder(process) for process in Path("/proc").glob("[0-9]*")]
    return Resources(
        descriptors=len(list(Path("/proc/self/fd").iterdir())),
        processes=sum(folder.startswith(f"{workspaces}/") for folder in folders),
        folders=len(list(workspaces.iterdir())),
    )


def _working_folder(process: Path) -> str:
    """Return the working folder of a process, also a deleted one; "" if the process is gone or of another user."""
    try:
        return str((process / "cwd").readlink())
    except OSError:
        return ""
