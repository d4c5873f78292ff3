"""Offline runs per hour, and where their time goes: `./run perf evaluation [--runs 24] [--at-once 4]`.

Runs go through all services, embedded in one process as `millwright eval` has them, and end with the verdict: nothing
is filmed. Benchmarks take turns, each with another seed. Exit code 1 if a run is not solved.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import cycle, islice, pairwise
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from cli.evaluation.trials import TrialResult, run_trials
from contracts.envelope import Event
from contracts.events.design import DesignApproved, DesignSimulated, DesignSubmitted, DesignValidated
from contracts.events.plan import PlanApproved
from contracts.events.run import EngineeringRequested, EngineeringStarted, RunFailed, RunSucceeded, WorldChecked
from contracts.events.session import SessionOpened
from contracts.models.benchmark import Limits
from local_stack.settings import CliSettings
from local_stack.stack import Stack, StackOptions, open_stack
from run_requests.request import RunOptions

from perf.loads.usage import cpu_by_group
from tests.support.measurements import setting, table

BENCHMARKS = "gravity-chute,detour,drop-catch,push-flat,lift-to-shelf"
STAGES: Mapping[str, tuple[type[Event], ...]] = {
    "request": (EngineeringRequested,),
    "wait for a slot": (EngineeringStarted,),
    "world: built, simulated without a machine": (WorldChecked,),
    "plan and its review": (PlanApproved,),
    "kernel opened": (SessionOpened,),
    "engineer's cells, files and previews": (DesignSubmitted,),
    "validation: script run again, rules, price": (DesignValidated,),
    "verdict: nominal run and replicas": (DesignSimulated,),
    "review: reruns under other seeds": (DesignApproved,),
    "end": (RunSucceeded, RunFailed),
}
"""From a stage to the events that end it; the last one of a run counts."""


def main() -> int:
    """Print a report in Markdown."""
    parser = argparse.ArgumentParser(description="Offline runs per hour, and where their time goes.")
    parser.add_argument("--runs", type=int, default=24)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--benchmarks", default=BENCHMARKS)
    arguments = parser.parse_args()
    print(setting(), flush=True)
    with TemporaryDirectory() as folder:
        trials = asyncio.run(_measured(arguments, CliSettings(millwright_data=Path(folder))))
    return 0 if all(trial.solved for trial in trials) else 1


async def _measured(arguments: argparse.Namespace, settings: CliSettings) -> list[TrialResult]:
    names: list[str] = arguments.benchmarks.split(",")
    runs = [
        RunOptions(name, number // len(names), "offline", 100, Limits(), is_filmed=False)
        for number, name in enumerate(islice(cycle(names), arguments.runs))
    ]
    async with open_stack(StackOptions(settings)) as stack:
        cpu_before_s, began_s = _cpu_s(), time.monotonic()
        trials: list[TrialResult] = []
        async for trial in run_trials(stack, runs, arguments.at_once):
            outcome = "solved" if trial.solved else trial.reason
            print(f"{trial.benchmark:<16} seed {trial.seed}  {trial.time_s:5.1f} s  {outcome}", flush=True)
            trials.append(trial)
        wall_s, cpu_s = time.monotonic() - began_s, _cpu_s() - cpu_before_s
        solved = sum(trial.solved for trial in trials)
        speed = f"{3600 * len(trials) / wall_s:.0f} runs per hour, {cpu_s / len(trials):.1f} CPU s per run"
        print(f"\n{solved} of {len(trials)} solved in {wall_s:.0f} s, {arguments.at_once} at once: {speed}\n")
        print(await _stage_table(stack, [trial for trial in trials if trial.solved]))
    return trials


def _cpu_s() -> float:
    """Return the CPU seconds of this process, which has the services, and of all its descendants."""
    return time.process_time() + sum(cpu_by_group().values())


async def _stage_table(stack: Stack, trials: Sequence[TrialResult]) -> str:
    """Return mean and longest time of each stage over the runs."""
    logs = [await stack.bus.history(trial.run_id) for trial in trials]
    ends = [[_last(log, classes) for classes in STAGES.values()] for log in logs]
    times = [[(end.occurred_at - begin.occurred_at).total_seconds() for begin, end in pairwise(each)] for each in ends]
    means = [mean(stage) for stage in zip(*times, strict=True)]
    rows = [
        (name, f"{average:.2f}", f"{max(stage):.2f}", f"{average / sum(means):.0%}")
        for name, average, stage in zip(list(STAGES)[1:], means, zip(*times, strict=True), strict=True)
    ]
    return table(("stage, of a solved run", "mean s", "longest s", "share"), rows)


def _last(log: Sequence[Event], classes: tuple[type[Event], ...]) -> Event:
    kept = [each for each in log if isinstance(each, classes) and (each.role == "engineer" or len(classes) > 1)]
    return (kept or [each for each in log if isinstance(each, classes)])[-1]


if __name__ == "__main__":
    sys.exit(main())
