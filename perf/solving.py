"""Seeds that the whole platform solves: `./run perf solving [--seeds 0-19] [--benchmark NAME] [--at-once 2]`.

Every run goes through all services and real servers, as `millwright solve` does. Exit code 1 below 90 % in a family.
"""

import argparse
import asyncio
import io
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.loader import CODE_TYPE, built_in, load
from cli.runs.execution import execute_run
from contracts.events.run import RunSucceeded
from contracts.models.benchmark import Limits
from local_stack.settings import CliSettings
from local_stack.stack import Stack, StackOptions, open_stack
from rich.console import Console
from run_requests.request import RunOptions, engineering_request

LEAST_SHARE = 0.9


def main() -> int:
    """Print a line per run and a sum per family."""
    parser = argparse.ArgumentParser(description="Seeds of the suite that the platform solves.")
    parser.add_argument("--seeds", default="0-19", help="first-last")
    parser.add_argument("--benchmark", action="append", choices=built_in(), help="default: all")
    parser.add_argument("--at-once", type=int, default=2, help="runs in flight")
    arguments = parser.parse_args()
    first, last = (int(end) for end in arguments.seeds.split("-"))
    seeds = range(first, last + 1)
    return asyncio.run(_measure(arguments.benchmark or built_in(), seeds, arguments.at_once))


async def _measure(benchmarks: Sequence[str], seeds: range, at_once: int) -> int:
    is_enough = True
    with TemporaryDirectory() as folder:
        surroundings = CliSettings(millwright_data=Path(folder))
        async with open_stack(StackOptions(surroundings)) as stack:
            for name in benchmarks:
                is_enough &= await _family(stack, name, seeds, asyncio.Semaphore(at_once))
    return 0 if is_enough else 1


async def _family(stack: Stack, name: str, seeds: range, turns: asyncio.Semaphore) -> bool:
    solved = sum(await asyncio.gather(*(_one(stack, name, seed, turns) for seed in seeds)))
    print(f"{name}: {solved} of {len(seeds)} solved\n", flush=True)
    return solved >= LEAST_SHARE * len(seeds)


async def _one(stack: Stack, name: str, seed: int, turns: asyncio.Semaphore) -> bool:
    async with turns:
        began = time.perf_counter()
        loaded = load(name, seed)
        options = RunOptions(benchmark=name, seed=seed, model="offline", quantity=100, limits=Limits())
        await stack.artifacts.put(loaded.environment_code, CODE_TYPE)
        end = await execute_run(stack, engineering_request(options, loaded), Console(file=io.StringIO()))
        spent_s = time.perf_counter() - began
    is_solved = isinstance(end, RunSucceeded) and end.result.is_proven
    if isinstance(end, RunSucceeded):
        rate, bill, digest = end.result.success_rate, end.bill, end.delivery.digest[:12]
        summary = (
            f"{'solved' if is_solved else 'NOT PROVEN'}, {rate:.0%} of 32, "
            f"{bill.part_count} parts, {bill.mass_kg:.4f} kg, {bill.unit_price_usd:.2f} USD, digest {digest}"
        )
    else:
        summary = f"FAILED ({end.reason}): {end.detail}"
    print(f"{name:<16}{seed:>5}  {spent_s:6.1f} s  {summary}", flush=True)
    return is_solved


if __name__ == "__main__":
    sys.exit(main())
