"""Replicas of services as processes, of this code or of an older commit, and what each of them uses."""

import asyncio
import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from local_stack.processes.child_process import ProcessSpec

from tests.support.clusters.cluster import Cluster, ModuleProcess
from tests.support.isolated import ROOT
from tests.support.processes import descendants

DRAIN_S = 30.0
"""The default of BUS_DRAIN_S."""
SETTINGS = {"SIM_VIDEO_WIDTH": "160", "SIM_VIDEO_HEIGHT": "120", "RUN_SLOTS": "64", "BUS_DRAIN_S": f"{DRAIN_S:g}"}
SAMPLE_S = 2.0
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_OWN_AND_REAPED = slice(11, 15)
"""In /proc/PID/stat after the program's name: user, system, and both of children that have ended."""


@dataclass
class Replica(ModuleProcess):
    """One process of a service, which has time to drain when it is stopped."""

    source: Path = ROOT
    """The checkout whose code it runs."""

    def program(self) -> ProcessSpec:
        """Return the program: a fork, which saves the imports, unless it runs other code than this."""
        if self.source == ROOT:
            return replace(super().program(), patience_s=DRAIN_S + 10.0)
        environment = {**self.environment, "PYTHONPATH": _modules_of(self.source)}
        command = (sys.executable, "-m", self.module)
        return ProcessSpec(self.name, command, self.source, self.log, environment, patience_s=DRAIN_S + 10.0)


def replicas(cluster: Cluster, folder: Path, service: str, sources: Sequence[Path], first: int = 1) -> list[Replica]:
    """Return a replica of a service for each source, numbered from `first` on."""
    made: list[Replica] = []
    for number, source in enumerate(sources, first):
        name = f"{service}-{number}"
        own = {**SETTINGS, "TMPDIR": str(folder), "ARTIFACTS_SPOOL": str(folder / f"spool-{name}")}
        module, log = service.replace("-", "_"), folder / f"{name}.log"
        ready = f"{service} is ready"
        made.append(Replica(name, module, cluster.environment(own), log, ready_text=ready, source=source))
    return made


async def migrate_as(source: Path, cluster: Cluster) -> None:
    """Run `millwright migrate` of a checkout."""
    command = (sys.executable, "-m", "cli", "migrate")
    environment = {**cluster.environment(), "PYTHONPATH": _modules_of(source)}
    process = await asyncio.create_subprocess_exec(*command, cwd=source, env=environment)
    if await process.wait():
        raise RuntimeError(f"{source}: `millwright migrate` failed")


def _modules_of(source: Path) -> str:
    """Return the PYTHONPATH of a checkout."""
    groups = (source / group for group in ("libs", "services", "apps"))
    return os.pathsep.join(str(folder) for group in groups for folder in sorted(group.glob("*/src")))


def check_out(commit: str, folder: Path) -> Path:
    """Return a folder with the files of a commit."""
    packed = subprocess.run(("git", "archive", commit), cwd=ROOT, capture_output=True, check=True).stdout
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(("tar", "--extract", "--directory", folder), input=packed, check=True)
    return folder


@dataclass
class Usage:
    """What replicas used, by name."""

    cpu_s: Counter[str] = field(default_factory=Counter[str])
    """With their children; of a replica that has ended, until shortly before its end."""
    peak_mib: Counter[str] = field(default_factory=Counter[str])
    """Proportional set size of a replica and its children together; forks share what they have imported."""


@asynccontextmanager
async def usage_watched(cluster: Cluster) -> AsyncGenerator[Usage]:
    """Yield what the replicas use, measured again and again inside the block and at its end."""
    usage = Usage()
    before: Counter[str] = Counter()
    _measure(cluster, Usage(before, Counter()))

    async def watch() -> None:
        while True:
            await asyncio.to_thread(_measure, cluster, usage)
            await asyncio.sleep(SAMPLE_S)

    task = asyncio.create_task(watch())
    try:
        yield usage
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        _measure(cluster, usage)
        usage.cpu_s.subtract(before)


def _measure(cluster: Cluster, usage: Usage) -> None:
    for name, pid in cluster.supervisor.pids().items():
        family = [pid, *(each.pid for each in descendants(pid))]
        usage.cpu_s[name] = max(usage.cpu_s[name], sum(map(_cpu_s, family)))  # pyright: ignore[reportArgumentType] - counters hold floats, too
        usage.peak_mib[name] = max(usage.peak_mib[name], sum(map(_held_mib, family)))  # pyright: ignore[reportArgumentType] - as above


def _cpu_s(pid: int) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return sum(map(int, fields[_OWN_AND_REAPED])) / _TICKS_PER_S
    return 0.0


def _held_mib(pid: int) -> float:
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    return 0.0
