"""What the processes of a stack use, by service: CPU seconds with their dead children, and memory."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support.processes import descendants

SAMPLE_S = 5.0
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_OWN_AND_REAPED = slice(11, 15)
"""In /proc/PID/stat after the program's name: user, system, and both of children that have ended."""
GROUPS: Mapping[str, str] = {
    "sandbox.zygote": "kernels and judges",
    "cad_worker": "cad-worker, pyright",
    "sim_worker": "sim-worker",
    "planner": "planner",
    "engineer": "engineer",
    "critic": "critic",
    "skill_learner": "skill-learner",
    "-m catalog": "catalog",
    "recorder": "recorder",
    "-m gateway": "gateway",
    "nats-server": "NATS",
    "postgres": "Postgres",
    "weed": "S3",
}
"""Part of a command line, and the group of its process."""


@dataclass
class Memory:
    """The most memory that all processes held together."""

    peak_mib: float = 0.0


def cpu_by_group() -> Counter[str]:
    """Return the CPU seconds of all living descendants so far, with those of their children that have ended."""
    used: Counter[str] = Counter()
    for process in descendants(os.getpid()):
        with suppress(OSError):
            fields = Path(f"/proc/{process.pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            seconds = sum(map(int, fields[_OWN_AND_REAPED])) / _TICKS_PER_S
            used[_group_of(process.command)] += seconds  # pyright: ignore[reportArgumentType] - counters add floats, too
    return used


@asynccontextmanager
async def memory_watched() -> AsyncGenerator[Memory]:
    """Yield the peak memory, measured every few seconds inside the block."""
    memory = Memory()

    async def watch() -> None:
        while True:
            memory.peak_mib = max(memory.peak_mib, (await asyncio.to_thread(mib_by_group)).total())
            await asyncio.sleep(SAMPLE_S)

    task = asyncio.create_task(watch())
    try:
        yield memory
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def mib_by_group() -> Counter[str]:
    """Return the proportional set size of all living descendants, in MiB."""
    held: Counter[str] = Counter()
    for process in descendants(os.getpid()):
        with suppress(OSError):
            lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
            kib = next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
            held[_group_of(process.command)] += kib / 1024  # pyright: ignore[reportArgumentType] - counters add floats, too
    return held


def _group_of(command: str) -> str:
    return next((group for part, group in GROUPS.items() if part in command), "other")
