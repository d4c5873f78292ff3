"""Runs strange cells in real kernels and looks at what is left of worker, processes and descriptors."""

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
LANES = 4
"""Sessions at once: kernels that must be killed are waited for."""
CATCH_UP_S = 60.0


@dataclass(frozen=True)
class Belongings:
    """What a worker holds."""

    descriptors: int
    processes: int
    folders: int


@dataclass(frozen=True)
class Aftermath:
    """What many cells have come to."""

    cells: int
    ends: Counter[str]
    """By status."""
    before: Belongings
    after: Belongings


async def fuzz(host: KernelHost, order: SessionOrder, lodging: Path, cells: Sequence[str]) -> Aftermath:
    """Run the cells, some sessions at a time; a fresh session must work afterwards. `lodging` holds the workspaces."""
    before = _belongings(lodging)
    ends: Counter[str] = Counter()
    waiting = [cells[start : start + CELLS_OF_A_SESSION] for start in range(0, len(cells), CELLS_OF_A_SESSION)]

    async def lane() -> None:
        while waiting:
            await _session(host, order, waiting.pop(), ends)

    await asyncio.gather(*(lane() for _ in range(LANES)))
    await _session(host, order, ["x = 41"], Counter())
    return Aftermath(len(cells), ends, before, await _settled(lodging, before))


async def _session(host: KernelHost, order: SessionOrder, cells: Sequence[str], ends: Counter[str]) -> None:
    session = await host.open_session(order, {}, {})
    try:
        for code in cells:
            outcome = await run(session, code, CELL_S)
            ends[outcome.observation.status] += 1
            assert outcome.observation.model_dump_json().encode(), code
    finally:
        await session.close()


async def _settled(lodging: Path, before: Belongings) -> Belongings:
    """Return what is held once it is what it was, or after a while."""
    try:
        async with asyncio.timeout(CATCH_UP_S):
            while (now := _belongings(lodging)) != before:  # noqa: ASYNC110 - the system sets no event
                await asyncio.sleep(0.05)
    except TimeoutError:
        return _belongings(lodging)
    return now


def _belongings(lodging: Path) -> Belongings:
    places = [_place(process) for process in Path("/proc").glob("[0-9]*")]
    return Belongings(
        descriptors=len(list(Path("/proc/self/fd").iterdir())),
        processes=sum(place.startswith(f"{lodging}/") for place in places),
        folders=len(list(lodging.iterdir())),
    )


def _place(process: Path) -> str:
    """Return where a process lives, whether that still exists or not; nothing if it is gone, or not ours."""
    try:
        return str((process / "cwd").readlink())
    except OSError:
        return ""
