"""Several replicas of every role and worker on one stream: `./run chaos replicas [--runs 10] [--replicas 2]`.

`--scaling`: one replica of each role, and 1, then 3, then again 1 of each worker while the runs are under way.
`--beside COMMIT`: roles of that commit with today's workers, then the reverse, then both versions of every service,
each as in an upgrade: today's `migrate` follows the start of the older services.

All runs are requested at once and solved by the offline expert. Each is audited: its events are complete, each is in
the stream and in Postgres once, and no request has two outcomes. Exit code 1 if anything is wrong.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from uuid import UUID

from benchmarks.loader import CODE_TYPE, load
from contracts.events.run import RunSucceeded
from contracts.models.benchmark import Limits
from local_stack.services import WORKERS
from run_requests.request import RunOptions, engineering_request

from tests.chaos.replicas.fleet import Replica, Usage, check_out, migrate_as, replicas, usage_watched
from tests.chaos.run_load import audit
from tests.support.clusters.cluster import ALL_SERVICES, Client, Cluster, RestartingSupervisor, start_cluster
from tests.support.isolated import ROOT
from tests.support.measurements import setting, table

BENCHMARK = "gravity-chute"
Sources = Mapping[str, Sequence[Path]]
"""By service, the checkout of each of its replicas."""
Until = Callable[[int], Awaitable[None]]
"""Waits until so many runs have ended."""
Scaling = Callable[[Cluster, Path, Until, int], Awaitable[None]]


@dataclass(frozen=True)
class Result:
    """What came of one set of runs."""

    name: str
    runs: int
    solved: int
    faulty: list[str]
    wall_s: float
    usage: Usage
    events: float
    """Of a run, by the median."""

    def report(self) -> str:
        """Return the figures in Markdown."""
        rows = [
            (name, f"{self.usage.cpu_s[name]:.1f}", f"{self.usage.peak_mib[name]:.0f}")
            for name in sorted(self.usage.cpu_s)
        ]
        head = (
            f"{self.name}: {self.solved} of {self.runs} solved in {self.wall_s:.0f} s, {len(self.faulty)} faults, "
            f"{self.events:.0f} events per run"
        )
        return "\n".join((f"\n## {head}", *self.faulty, "", table(("replica", "CPU s", "peak MiB"), rows)))


def main() -> int:
    """Print a report in Markdown."""
    parser = argparse.ArgumentParser(description="Several replicas on one stream.")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--scaling", action="store_true")
    parser.add_argument("--beside", metavar="COMMIT")
    arguments = parser.parse_args()
    print(setting(), flush=True)
    results = asyncio.run(_all(arguments))
    return 0 if all(each.solved == each.runs and not each.faulty for each in results) else 1


async def _all(arguments: argparse.Namespace) -> list[Result]:
    results: list[Result] = []
    with TemporaryDirectory() as folder:
        for number, (name, sources) in enumerate(_placements(arguments, Path(folder))):
            own = Path(folder) / str(number)
            own.mkdir()
            scaling = _scaled_workers if arguments.scaling else _left_alone
            results.append(await _measured(name, sources, arguments.runs, own, scaling))
            print(results[-1].report(), flush=True)
    return results


def _placements(arguments: argparse.Namespace, folder: Path) -> list[tuple[str, Sources]]:
    today = [ROOT]
    if arguments.scaling:
        return [("workers 1, 3, 1", _sources(today, today))]
    if arguments.beside is None:
        several = today * arguments.replicas
        return [(f"{arguments.replicas} replicas of every service", _sources(several, several))]
    old = [check_out(arguments.beside, folder / "older")]
    return [
        (f"roles of {arguments.beside}, today's workers", _sources(old, today)),
        (f"today's roles, workers of {arguments.beside}", _sources(today, old)),
        (f"both versions of every service, {arguments.beside}", _sources([*old, *today], [*old, *today])),
    ]


def _sources(roles: list[Path], workers: list[Path]) -> Sources:
    return {each: workers if each in WORKERS else roles for each in ALL_SERVICES}


@asynccontextmanager
async def _upgraded(cluster: Cluster, fleet: Sequence[Replica]) -> AsyncGenerator[None]:
    """Run the fleet as an upgrade does: the older replicas on their own schema, then `migrate`, then today's."""
    older = [each for each in fleet if each.source != ROOT]
    for source in {each.source for each in older}:
        await migrate_as(source, cluster)
    async with cluster.run(older):
        await migrate_as(ROOT, cluster)
        async with cluster.run([each for each in fleet if each.source == ROOT]):
            yield


async def _measured(name: str, sources: Sources, runs: int, folder: Path, scaling: Scaling) -> Result:
    async with start_cluster(folder / "servers", supervisor=RestartingSupervisor(), migrates=False) as cluster:
        fleet = [each for service in ALL_SERVICES for each in replicas(cluster, folder, service, sources[service])]
        async with (
            _upgraded(cluster, fleet),
            Client(cluster.endpoints, "cli") as client,
            usage_watched(cluster) as usage,
        ):
            began_s = time.monotonic()
            progress = Progress(runs)
            requested = [await _request(client, seed) for seed in range(runs)]
            waits = [asyncio.create_task(_solved(client, run_id, progress)) for run_id in requested]
            await scaling(cluster, folder, progress.until, runs)
            solved = sum(await asyncio.gather(*waits))
            wall_s = time.monotonic() - began_s
            audits = [await audit(client, run_id, f"seed {seed}") for seed, run_id in enumerate(requested)]
    faulty = [
        f"{found.name}: {found.lost} {found.duplicates} unrecorded {found.unrecorded}"
        for found, _ in audits
        if not found.is_clean
    ]
    return Result(name, runs, solved, faulty, wall_s, usage, median(found.events for found, _ in audits))


class Progress:
    """How many runs have ended."""

    def __init__(self, runs: int) -> None:
        self._runs = runs
        self._ended = 0
        self._changed = asyncio.Condition()

    async def add(self) -> None:
        """Count one run."""
        async with self._changed:
            self._ended += 1
            self._changed.notify_all()

    async def until(self, ended: int) -> None:
        """Wait until so many have ended."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._ended >= ended)


async def _request(client: Client, seed: int) -> UUID:
    loaded = load(BENCHMARK, seed)
    options = RunOptions(benchmark=BENCHMARK, seed=seed, model="offline", quantity=100, limits=Limits())
    await client.artifacts.put(loaded.environment_code, CODE_TYPE)
    request = engineering_request(options, loaded)
    await client.bus.publish(request)
    return request.run_id


async def _solved(client: Client, run_id: UUID, progress: Progress) -> bool:
    end = await client.bus.wait_for_end(run_id)
    await progress.add()
    is_solved = isinstance(end, RunSucceeded) and end.result.is_proven
    print(f"{run_id} {'solved' if is_solved else end.model_dump_json(include={'reason', 'detail'})}", flush=True)
    return is_solved


async def _left_alone(*_: object) -> None:
    """Change nothing while the runs are under way."""


async def _scaled_workers(cluster: Cluster, folder: Path, until: Until, runs: int) -> None:
    """Add two of each worker after the first run has ended, and stop them, as SIGTERM does, two thirds on."""
    await until(max(1, runs // 5))
    more = [each for service in WORKERS for each in replicas(cluster, folder, service, [ROOT, ROOT], first=2)]
    async with cluster.run(more):
        print(f"3 of each worker after {max(1, runs // 5)} runs", flush=True)
        await until(2 * runs // 3)
        began_s = time.monotonic()
    print(
        f"1 of each worker after {2 * runs // 3} runs; four drained in {time.monotonic() - began_s:.1f} s", flush=True
    )


if __name__ == "__main__":
    sys.exit(main())
