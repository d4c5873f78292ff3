"""Our kernel in the worker: how soon it is ready, how fast it answers, what it holds and what it leaves behind."""

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.loader import SUITE
from cad_worker.sessions.session import Session
from kernel.checker.checker import violations

from tests.support.kernel_world import CAD_CELL, SMALL_CELL, Ground, run

CHECKED_LINES = 2000
_KIB_OF_PSS = "Pss:"


@dataclass
class Starts:
    """How long it took, in milliseconds."""

    ready_ms: list[float] = field(default_factory=list[float])
    first_cell_ms: list[float] = field(default_factory=list[float])


@dataclass(frozen=True)
class Memory:
    """What so many sessions hold."""

    sessions: int
    alive: int
    pss_mib: tuple[float, ...]
    """Of each; empty where the system does not tell."""
    opened_s: float
    first_cells_s: float


@dataclass(frozen=True)
class Leaks:
    """What there is more of after many sessions came and went."""

    cycles: int
    descriptors: int
    processes: int
    shared_memories: int
    folders: int


async def starts(ground: Ground, count: int) -> Starts:
    """Open sessions one after another, and run a first CAD cell in each."""
    found = Starts()
    for _ in range(count):
        began = time.perf_counter()
        session = await ground.session()
        found.ready_ms.append(_ms_since(began))
        began = time.perf_counter()
        await run(session, CAD_CELL)
        found.first_cell_ms.append(_ms_since(began))
        await session.close()
    return found


async def round_trips(ground: Ground, count: int) -> list[float]:
    """Return how long `x = 1` takes, with its observation, in milliseconds."""
    session = await ground.session()
    spent_ms: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        await run(session, SMALL_CELL)
        spent_ms.append(_ms_since(began))
    await session.close()
    return spent_ms


async def memory(ground: Ground, count: int) -> Memory:
    """Open so many sessions at once, run a CAD cell in each, and weigh them."""
    began = time.perf_counter()
    sessions = await asyncio.gather(*(ground.session() for _ in range(count)))
    opened_s = time.perf_counter() - began
    began = time.perf_counter()
    outcomes = await asyncio.gather(*(run(each, CAD_CELL) for each in sessions))
    first_cells_s = time.perf_counter() - began
    pss = [held for each in sessions if (held := _pss_mib(each)) is not None]
    alive = sum(outcome.observation.status == "ok" for outcome in outcomes)
    await asyncio.gather(*(each.close() for each in sessions))
    return Memory(count, alive, tuple(pss), opened_s, first_cells_s)


async def leaks(ground: Ground, cycles: int) -> Leaks:
    """Open and close sessions, each with a cell, and count what is left."""
    await (await ground.session()).close()  # what is made once is no leak
    before = _counted(ground)
    for _ in range(cycles):
        session = await ground.session()
        await run(session, SMALL_CELL)
        await session.close()
    more = [now - then for now, then in zip(_counted(ground), before, strict=True)]
    return Leaks(cycles, *more)


def checking_ms(rounds: int) -> list[float]:
    """Return how long the checker takes for a long cell, in milliseconds."""
    lines = [line for file in sorted(SUITE.glob("*/witness.py")) for line in file.read_text("utf-8").splitlines()]
    code = "\n".join((lines * (CHECKED_LINES // len(lines) + 1))[:CHECKED_LINES])
    spent_ms: list[float] = []
    for _ in range(rounds):
        began = time.perf_counter()
        violations(code)
        spent_ms.append(_ms_since(began))
    return spent_ms


def _ms_since(began: float) -> float:
    return 1000 * (time.perf_counter() - began)


def _pss_mib(session: Session) -> float | None:
    assert session.pid is not None
    try:
        lines = Path(f"/proc/{session.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except PermissionError:
        return None
    return next(int(line.split()[1]) for line in lines if line.startswith(_KIB_OF_PSS)) / 1024


def _counted(ground: Ground) -> Sequence[int]:
    """Count our descriptors, the processes below us, shared memories and workspaces."""
    return (
        len(list(Path("/proc/self/fd").iterdir())),
        _descendants(os.getpid()),
        len(list(Path("/dev/shm").iterdir())),  # noqa: S108 - where the system keeps them
        len(list(ground.folder.glob("*/*"))),
    )


def _descendants(pid: int) -> int:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return len(children) + sum(_descendants(int(child)) for child in children)
