"""Worlds that the offline expert was not adjusted to: `./run perf worlds [--count 20] [--seed 7] [--at-once 2]`.

Four of five are drawn by `perf.simulation.generated_worlds`; the fifth is a variant of the suite whose price may be at
most 1.2 times that of its witness. Each is written as a benchmark folder and goes through all services, as `millwright
solve` does. `--alone` first simulates each world without a machine; none may solve itself. `--folder` keeps them.
"""

import argparse
import asyncio
import io
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import yaml
from benchmarks.loader import CODE, CODE_TYPE, FILE, built_in, file_of, load, read_witness
from cli.runs.execution import execute_run
from contracts.events.run import RunSucceeded
from contracts.models.benchmark import Limits
from local_stack.settings import CliSettings
from local_stack.stack import Stack, StackOptions, open_stack
from rich.console import Console
from run_requests.request import RunOptions, engineering_request

from perf.simulation.generated_worlds import worlds
from tests.support.benchmark_solver import Bench, bench

_EVERY = 5
"""One world in so many has a price limit at the witness's price."""
_PRICE_RATIO = 1.2
_DETAIL_CHARS = 220


@dataclass(frozen=True)
class _Task:
    folder: Path
    seed: int = 0


def main() -> int:
    """Print a line per world, and how many are solved."""
    parser = argparse.ArgumentParser(description="Worlds that the offline expert was not adjusted to.")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--at-once", type=int, default=2, help="runs in flight")
    parser.add_argument("--only", default="", help="only worlds whose name contains this")
    parser.add_argument("--alone", action="store_true", help="simulate each world without a machine first")
    parser.add_argument("--folder", type=Path, help="keep the benchmark folders here")
    arguments = parser.parse_args()
    with TemporaryDirectory() as scratch:
        return asyncio.run(_measure(arguments, arguments.folder or Path(scratch) / "worlds", Path(scratch)))


async def _measure(arguments: argparse.Namespace, folder: Path, scratch: Path) -> int:
    async with bench() as tried:
        tasks = await _tasks(tried, arguments.count, arguments.seed, folder)
        tasks = [task for task in tasks if arguments.only in task.folder.name]
        if arguments.alone and not await _none_solves_itself(tried, tasks):
            return 1
    async with open_stack(StackOptions(CliSettings(millwright_data=scratch / "data"))) as stack:
        turns = asyncio.Semaphore(arguments.at_once)
        solved = sum(await asyncio.gather(*(_one(stack, task, turns) for task in tasks)))
    print(f"{solved} of {len(tasks)} solved", flush=True)
    return 0


async def _tasks(tried: Bench, count: int, seed: int, folder: Path) -> list[_Task]:
    capped = count // _EVERY
    tasks = [_Task(world.write(folder)) for world in worlds(count - capped, seed)]
    random = Random(seed)  # noqa: S311 - not used for security
    families = built_in()
    for number in range(1, capped + 1):
        family, variant_seed = families[number % len(families)], random.randrange(1000, 9999)
        tasks.append(await _with_price_limit(tried, family, variant_seed, folder / f"p{number:02d}-price-{family}"))
    return tasks


async def _with_price_limit(tried: Bench, family: str, seed: int, folder: Path) -> _Task:
    """Copy a benchmark of the suite, its price limited by that of its witness."""
    witness = await tried.witness(load(family, seed), read_witness(file_of(family)))
    if witness.bill is None:
        raise RuntimeError(f"the witness of {family} under seed {seed} has no price: {witness.complaints}")
    _copy_with_limit(file_of(family), folder, _PRICE_RATIO * witness.bill.unit_price_usd)
    return _Task(folder, seed)


def _copy_with_limit(file: Path, folder: Path, price_usd: float) -> None:
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    content["limits"]["max_unit_price_usd"] = round(price_usd, 2)
    folder.mkdir(parents=True)
    (folder / FILE).write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    (folder / CODE).write_bytes(file.with_name(CODE).read_bytes())


async def _none_solves_itself(tried: Bench, tasks: Sequence[_Task]) -> bool:
    alone = [
        task.folder.name
        for task in tasks
        if (await tried.without_machine(load(str(task.folder), task.seed), replicas=6)).success_rate > 0
    ]
    print(f"{len(alone)} of {len(tasks)} worlds solve themselves in some replica {' '.join(alone)}\n", flush=True)
    return not alone


async def _one(stack: Stack, task: _Task, turns: asyncio.Semaphore) -> bool:
    async with turns:
        began = time.perf_counter()
        loaded = load(str(task.folder), task.seed)
        options = RunOptions(str(task.folder), task.seed, model="offline", quantity=100, limits=Limits())
        await stack.artifacts.put(loaded.environment_code, CODE_TYPE)
        end = await execute_run(stack, engineering_request(options, loaded), Console(file=io.StringIO()))
        spent_s = time.perf_counter() - began
    limit = loaded.limits.max_unit_price_usd
    at_most = f"at most {limit:.0f}" if limit else "no limit"
    if isinstance(end, RunSucceeded):
        price = f"{end.bill.unit_price_usd:.0f} USD, {at_most}"
        outcome, reason = "solved", f"{end.result.success_rate:.0%} of 32, {end.bill.part_count} parts"
    else:
        price, outcome, reason = at_most, "NOT", f"{end.reason}: {' '.join(end.detail.split())[:_DETAIL_CHARS]}"
    print(f"{task.folder.name:<26}{spent_s:6.0f} s  {outcome:<8}{price:<24}{reason}", flush=True)
    return isinstance(end, RunSucceeded)


if __name__ == "__main__":
    sys.exit(main())
