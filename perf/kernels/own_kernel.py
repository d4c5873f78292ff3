"""Our kernel in the worker: times of starts and cells, memory of sessions, and leaked resources."""

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.loader import FILE, SUITE, read_witness
from kernel.checker.checker import violations
from kernel_host.sessions.session import Session

from tests.support.kernel_world import CAD_CELL, SMALL_CELL, KernelWorld, run

CHECKED_LINES = 2000
_KIB_OF_PSS = "Pss:"


@dataclass
class Starts:
    """Milliseconds of each start and of each first cell."""

    ready_ms: list[float] = field(default_factory=list[float])
    first_cell_ms: list[float] = field(default_factory=list[float])


@dataclass(frozen=True)
class Memory:
    """Memory and start times of concurrent sessions."""

    sessions: int
    alive: int
    pss_mib: tuple[float, ...]
    """Of each session; empty where /proc is not readable."""
    opened_s: float
    first_cells_s: float


@dataclass(frozen=True)
class Leaks:
    """Resources that many opened and closed sessions left."""

    cycles: int
    descriptors: int
    processes: int
    shared_memories: int
    folders: int


async def starts(world: KernelWorld, count: int) -> Starts:
    """Open sessions one after another, and run a first CAD cell in each."""
    found = Starts()
    for _ in range(count):
        began = time.perf_counter()
        session = await world.session()
        found.ready_ms.append(_ms_since(began))
        began = time.perf_counter()
        await run(session, CAD_CELL)
        found.first_cell_ms.append(_ms_since(began))
        await session.close()
    return found


async def round_trips(world: KernelWorld, count: int) -> list[float]:
    """Return the milliseconds of `x = 1` with its observation."""
    session = await world.session()
    spent_ms: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        await run(session, SMALL_CELL)
        spent_ms.append(_ms_since(began))
    await session.close()
    return spent_ms


async def memory(world: KernelWorld, count: int) -> Memory:
    """Open `count` sessions at once, run a CAD cell in each, and read their memory."""
    began = time.perf_counter()
    sessions = await asyncio.gather(*(world.session() for _ in range(count)))
    opened_s = time.perf_counter() - began
    began = time.perf_counter()
    outcomes = await asyncio.gather(*(run(each, CAD_CELL) for each in sessions))
    first_cells_s = time.perf_counter() - began
    pss = [held for each in sessions if (held := _pss_mib(each)) is not None]
    alive = sum(outcome.observation.status == "ok" for outcome in outcomes)
    await asyncio.gather(*(each.close() for each in sessions))
    return Memory(count, alive, tuple(pss), opened_s, first_cells_s)


async def leaks(world: KernelWorld, cycles: int) -> Leaks:
    """Open and close sessions, each with a cell, and count what is left."""
    await (await world.session()).close()  # resources created once are not leaks
    before = _counted(world)
    for _ in range(cycles):
        session = await world.session()
        await run(session, SMALL_CELL)
        await session.close()
    more = [now - then for now, then in zip(_counted(world), before, strict=True)]
    return Leaks(cycles, *more)


def checking_ms(rounds: int) -> list[float]:
    """Return the milliseconds of the checker for a long cell."""
    lines = [line for file in sorted(SUITE.glob(f"*/{FILE}")) for line in read_witness(file).splitlines()]
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


def _counted(world: KernelWorld) -> Sequence[int]:
    """Count our descriptors, the processes below us, shared memories and workspaces."""
    return (
        len(list(Path("/proc/self/fd").iterdir())),
        _descendants(os.getpid()),
        len(list(Path("/dev/shm").iterdir())),  # noqa: S108 - the directory of shared memories
        len(list(world.folder.glob("*/*"))),
    )


def _descendants(pid: int) -> int:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return len(children) + sum(_descendants(int(child)) for child in children)
