"""How hard the built-in benchmarks are for a search: `./run perf benchmarks/levels [--seeds 0-3] [--trials 1500]`.

The search baseline (`cli.certification.search`) bends a channel in each world until physics proves it. What takes many
trials, or what it does not solve, is hard for all who do not think; lifts and pushers are beyond a channel.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from statistics import median

from benchmarks.loader import built_in, load
from cad_worker.host import KernelHost
from cli.certification.search import ChannelTrial, SearchReport, search_channel
from cli.certification.world_checks import check_one, opened_host
from cli.commands.eval import parse_seeds
from sim_worker.simulator import Simulator

from tests.support.measurements import setting

REPLICAS = 32


def main() -> None:
    """Print a row per benchmark, and the sums by level."""
    parser = argparse.ArgumentParser(description="How hard the built-in benchmarks are for a search.")
    parser.add_argument("--seeds", default="0-3", help="first-last")
    parser.add_argument("--trials", type=int, default=1500, help="channels at most, for each world")
    arguments = parser.parse_args()
    asyncio.run(_measure(parse_seeds(arguments.seeds), arguments.trials))


async def _measure(seeds: Sequence[int], trials: int) -> None:
    print(f"# Levels by a search\n\n{setting(('mujoco', 'cma'))}")
    print(f"- at most {trials} channels in each world, {REPLICAS} replicas of each that arrives\n")
    print("| benchmark | level | solved | median of trials where solved | closest to the goal elsewhere, mm | s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    by_level: dict[int, list[bool]] = {}
    async with opened_host() as host:
        for name in built_in():
            began = time.monotonic()
            reports = [await _search(name, seed, trials, host) for seed in seeds]
            level = load(name, seeds[0]).file.level
            by_level.setdefault(level, []).extend(report.is_solved for report in reports)
            print(_row(name, level, reports, time.monotonic() - began), flush=True)
    print("\n| level | solved |\n| ---: | ---: |")
    for level, solved in sorted(by_level.items()):
        print(f"| {level} | {sum(solved)}/{len(solved)} |")


async def _search(name: str, seed: int, trials: int, host: KernelHost) -> SearchReport:
    loaded = load(name, seed)
    world = await check_one(name, loaded.environment_code, loaded.variant, host)
    if world.files is None:
        raise ValueError(f"{name}, seed {seed}: {world.fault}")
    trial = ChannelTrial(loaded.variant, world.files.scene, REPLICAS, Simulator(threads=1))
    return await asyncio.to_thread(search_channel, trial, trials)


def _row(name: str, level: int, reports: Sequence[SearchReport], seconds: float) -> str:
    solved = [report.trials for report in reports if report.is_solved]
    missed = [report.result.nominal.closest_goal_mm for report in reports if report.result and not report.is_solved]
    needed = f"{median(solved):g}" if solved else ""
    left = f"{min(missed):.0f}" if missed else ""
    return f"| {name} | {level} | {len(solved)}/{len(reports)} | {needed} | {left} | {seconds:.0f} |"


if __name__ == "__main__":
    main()
