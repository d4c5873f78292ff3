"""Many runs at once: `./run perf load [--at-once 1,4,16,64 [--runs 64]] [--hostile memory,parts,... [--ordinary 8]]`.

All services run as processes of their own on real servers, with the offline expert and small films. Prints runs per
hour, times to the verdict from request and start, CPU seconds per run by service, and memory. With `--hostile` it
measures ordinary runs alone, and then beside each hostile run, which is the oldest. Exit code 1 if an ordinary run is
not solved.

Runs of different seeds differ, and the films of the last runs are made after their verdicts: compare throughputs with
`--runs`, which gives each number the same seeds, so many at a time.
"""

import argparse
import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.loader import CODE_TYPE, load
from cli.runs.run_control import cancel_run
from contracts.events.run import EngineeringRequested, EngineeringStarted, RunSucceeded
from contracts.events.session import CellCompleted
from contracts.models.benchmark import Limits
from local_stack.settings import CliSettings
from local_stack.stack import Stack, StackOptions, open_stack, run_or_fail
from run_requests.request import RunOptions, engineering_request

from perf.loads.hostile import KINDS, hostile_provider, model_environment
from perf.loads.usage import cpu_by_group, memory_watched
from tests.support.measurements import setting, table

HEAD = ("at once", "solved", "wall s", "runs/h", "median s", "worst s", "median from start s", "CPU s/run", "peak MiB")


@dataclass(frozen=True)
class Timing:
    """The times of one run by the events of its log."""

    is_solved: bool
    total_s: float
    """From the request to the end."""
    working_s: float
    """From the start to the end."""


@dataclass(frozen=True)
class Load:
    """The result of some runs at once."""

    name: str
    timings: Sequence[Timing]
    wall_s: float
    cpu_s: Counter[str]
    peak_mib: float

    def row(self) -> tuple[str, ...]:
        """Return the cells below `HEAD`."""
        runs, solved = len(self.timings), sum(each.is_solved for each in self.timings)
        totals = [each.total_s for each in self.timings]
        working = median(each.working_s for each in self.timings)
        figures = (self.wall_s, 3600 * solved / self.wall_s, median(totals), max(totals), working)
        shown = (f"{figure:.0f}" for figure in figures)
        return (
            self.name,
            f"{solved} of {runs}",
            *shown,
            f"{sum(self.cpu_s.values()) / runs:.1f}",
            f"{self.peak_mib:.0f}",
        )


def main() -> int:
    """Print a report in Markdown."""
    arguments = _arguments()
    os.environ["SIM_VIDEO_WIDTH"], os.environ["SIM_VIDEO_HEIGHT"] = arguments.film.split("x")
    print(setting(), flush=True)
    with hostile_provider() as provider:
        os.environ.update(model_environment(provider))
        kinds = [kind for kind in arguments.hostile.split(",") if kind]
        loads = asyncio.run(_beside_hostile_runs(arguments, kinds) if kinds else _many_at_once(arguments))
    print(f"\n{table(HEAD, [each.row() for each in loads])}\n\n{_cpu_table(loads)}")
    return 0 if all(timing.is_solved for each in loads for timing in each.timings) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Many runs at once.")
    parser.add_argument("--at-once", default="1,4,16,64", help="numbers of runs, each on a fresh stack")
    parser.add_argument("--runs", type=int, default=0, help="runs in all at each number; default: as many as at once")
    parser.add_argument("--hostile", default="", help=f"kinds of hostile runs: {','.join(KINDS)}")
    parser.add_argument("--ordinary", type=int, default=8, help="ordinary runs beside a hostile one")
    parser.add_argument("--benchmark", default="gravity-chute")
    parser.add_argument("--film", default="160x120", help="size of films")
    parser.add_argument("--deadline", type=float, default=1800.0, help="of each run, in seconds")
    return parser.parse_args()


async def _many_at_once(arguments: argparse.Namespace) -> list[Load]:
    return [await _measured(arguments, str(count), count) for count in map(int, arguments.at_once.split(","))]


async def _beside_hostile_runs(arguments: argparse.Namespace, kinds: Sequence[str]) -> list[Load]:
    alone = await _measured(arguments, f"{arguments.ordinary} alone", arguments.ordinary)
    loads = [alone]
    for kind in kinds:
        beside = await _measured(arguments, f"{arguments.ordinary} + {kind}", arguments.ordinary, hostile=kind)
        print(f"{kind}: the ordinary runs took {beside.wall_s / alone.wall_s - 1:+.0%}", flush=True)
        loads.append(beside)
    return loads


async def _measured(arguments: argparse.Namespace, name: str, at_once: int, hostile: str | None = None) -> Load:
    """Run so many at once on a fresh stack; `hostile`: beside such a run, which was requested before."""
    with TemporaryDirectory() as folder:
        settings = CliSettings(millwright_data=Path(folder))
        async with open_stack(StackOptions(settings, separate=True)) as stack, memory_watched() as memory:
            await asyncio.to_thread(stack.supervisor.wait_until_ready)
            before = cpu_by_group()
            harmful = await request_run(stack, arguments, f"openai:{hostile}", 0) if hostile else None
            began_s = time.monotonic()
            timings = await _all_timed(stack, arguments, at_once)
            wall_s = time.monotonic() - began_s
            used = cpu_by_group() - before
            if harmful is not None:
                print(f"{hostile}: {await _cells_of(stack, harmful)}", flush=True)
                await cancel_run(stack.bus, harmful)
    load = Load(name, timings, wall_s, used, memory.peak_mib)
    print(" | ".join(load.row()), flush=True)
    return load


async def _all_timed(stack: Stack, arguments: argparse.Namespace, at_once: int) -> list[Timing]:
    """Return the timings of the runs of seeds 0 and following, so many of them under way or waiting at a time."""
    turns = asyncio.Semaphore(at_once)

    async def one(seed: int) -> Timing:
        async with turns:
            request = await request_run(stack, arguments, "offline", seed)
            return await run_or_fail(stack.failure, _timed(stack, request, seed))

    return await asyncio.gather(*(one(seed) for seed in range(max(at_once, arguments.runs))))


async def request_run(stack: Stack, arguments: argparse.Namespace, model: str, seed: int) -> EngineeringRequested:
    loaded = load(arguments.benchmark, seed)
    options = RunOptions(benchmark=arguments.benchmark, seed=seed, model=model, quantity=100, limits=Limits())
    await stack.artifacts.put(loaded.environment_code, CODE_TYPE)
    request = engineering_request(options, loaded)
    request = request.model_copy(
        update={"budget": request.budget.model_copy(update={"deadline_s": arguments.deadline})}
    )
    await stack.bus.publish(request)
    return request


async def _cells_of(stack: Stack, request: EngineeringRequested) -> str:
    """Return how the cells of a hostile run ended: those that were refused do no harm."""
    events = await stack.bus.history(request.run_id)
    ends = Counter(event.observation.status for event in events if isinstance(event, CellCompleted))
    return ", ".join(f"{count} cells {status}" for status, count in ends.items()) or "no cell was completed"


async def _timed(stack: Stack, request: EngineeringRequested, seed: int) -> Timing:
    end = await stack.bus.wait_for_end(request.run_id)
    started = await stack.bus.latest(EngineeringStarted, request.run_id)
    is_solved = isinstance(end, RunSucceeded) and end.result.is_proven
    total_s = (end.occurred_at - request.occurred_at).total_seconds()
    outcome = "solved" if is_solved else end.model_dump_json(include={"reason", "detail"})
    print(f"{total_s:6.0f} s  seed {seed}: {outcome}", flush=True)
    working_s = total_s if started is None else (end.occurred_at - started.occurred_at).total_seconds()
    return Timing(is_solved, total_s, working_s)


def _cpu_table(loads: Sequence[Load]) -> str:
    groups = sorted({group for each in loads for group in each.cpu_s})
    rows = [(group, *(f"{each.cpu_s[group] / len(each.timings):.1f}" for each in loads)) for group in groups]
    return table(("CPU s per run", *(each.name for each in loads)), rows)


if __name__ == "__main__":
    sys.exit(main())
