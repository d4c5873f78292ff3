"""Crash of every publisher at every point: `./run chaos kills [--scenario NAME] [--point POINT]`.

The matrix comes from the contracts (`tests/chaos/crashes/scenarios.py`). Each scenario is first run undisturbed, then
once for each point, at which the publisher of each event in it kills itself with -9. Exit code 1 if a run ends
otherwise than undisturbed, an id occurs twice, or there are more model calls than recorded ones plus crashes.
"""

import argparse
import asyncio
import logging
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from tests.chaos.crashes.crash_points import POINTS, Point
from tests.chaos.crashes.crash_runs import CrashCluster, FinishedRun, crash_cluster, perform, problems
from tests.chaos.crashes.scenarios import SCENARIOS, Scenario, ScenarioRun, missing
from tests.support.measurements import setting


def main() -> int:
    """Print a line per run and the totals."""
    names = [each.name for each in SCENARIOS]
    parser = argparse.ArgumentParser(description="Crashes the publisher of every event at every point.")
    parser.add_argument("--scenario", action="append", choices=names, help="default: all")
    parser.add_argument("--point", action="append", choices=POINTS, help="default: all")
    parser.add_argument("--undisturbed", action="store_true", help="without crashes")
    arguments = parser.parse_args()
    scenarios = [each for each in SCENARIOS if each.name in (arguments.scenario or names)]
    # The run with poison holds an unreadable message on purpose, which the log mentions at every look.
    logging.getLogger("chassis.stream.jetstream_bus").setLevel(logging.ERROR)
    print(f"# Crash of every publisher at every point\n\n{setting()}\n\n```", flush=True)
    if missing():
        print("no scenario covers:", ", ".join(missing()))
    exit_code = asyncio.run(_measure(scenarios, () if arguments.undisturbed else arguments.point or POINTS))
    print("```")
    return exit_code


async def _measure(scenarios: Sequence[Scenario], points: Sequence[Point]) -> int:
    started_s = time.monotonic()
    crashes = wrong = runs = 0
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with crash_cluster(Path(folder)) as cluster:
            for scenario in scenarios:
                async for finished, found in _rounds(cluster, scenario, points):
                    crashes, runs, wrong = crashes + len(finished.crashes), runs + 1, wrong + bool(found)
    print(f"{runs} runs, {crashes} crashes, {wrong} wrong runs, {time.monotonic() - started_s:.0f} s")
    return 1 if wrong or missing() else 0


async def _rounds(
    cluster: CrashCluster, scenario: Scenario, points: Sequence[Point]
) -> AsyncGenerator[tuple[FinishedRun, list[str]]]:
    undisturbed = await perform(cluster, ScenarioRun(scenario, uuid4(), "undisturbed"))
    yield undisturbed, _report("undisturbed", undisturbed, problems(undisturbed))
    for point in points:
        if crashes := scenario.crash_points(point):
            finished = await perform(cluster, ScenarioRun(scenario, uuid4(), point, crashes))
            yield finished, _report(point, finished, problems(finished, undisturbed))


def _report(point: str, finished: FinishedRun, found: list[str]) -> list[str]:
    counts = f"{len(finished.events):>4} events {len(finished.crashes):>3} crashes {finished.calls:>3} calls"
    verdict = "WRONG" if found else "as undisturbed"
    print(f"{finished.run.scenario.name:<20}{point:<24}{counts} {finished.seconds:6.1f} s  {verdict}", flush=True)
    for each in found:
        print(f"    {each}", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
