"""Schedules of the whole cluster in virtual time: `./run simulate [--seeds 10000] [--seed N] [--without FIX]`.

`--clock-jumps 4 --partitions 2` adds these faults to each schedule.
"""

import argparse
import gc
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from tests.simulation.faults import FaultPlan
from tests.simulation.fixes import FIXES, without
from tests.simulation.schedule import Finding, run_schedule

REPORTED_EVERY = 500
"""Schedules: about a minute."""


def main() -> None:
    """Run schedules and print those that break a rule; exit with 1 if there are any."""
    parser = argparse.ArgumentParser(description="Deterministic simulation of the services, fault by fault.")
    parser.add_argument("--seeds", type=int, default=1_000, help="how many schedules")
    parser.add_argument("--first", type=int, default=0, help="seed of the first one")
    parser.add_argument("--seed", type=int, help="replay this one, with its log and what the services log")
    parser.add_argument("--without", choices=sorted(FIXES), help="take a fix out, and stop at the fault")
    parser.add_argument("--clock-jumps", type=int, default=0, help="jumps of wall clocks by up to an hour, in each")
    parser.add_argument("--partitions", type=int, default=0, help="processes cut off for 60 s, in each schedule")
    arguments = parser.parse_args()
    adjust = partial(replace, clock_jumps=arguments.clock_jumps, partitions=arguments.partitions)
    with without(arguments.without):
        if arguments.seed is not None:
            finding = run_schedule(arguments.seed, adjust, logs=True)
            print(describe(finding, whole=True))
            sys.exit(bool(finding.problems))
        is_first_enough = arguments.without is not None
        seeds = range(arguments.first, arguments.first + arguments.seeds)
        failed = _run_all(seeds, adjust, is_first_enough=is_first_enough)
    sys.exit(bool(failed))


def _run_all(seeds: Sequence[int], adjust: Callable[[FaultPlan], FaultPlan], *, is_first_enough: bool) -> int:
    """Run schedules until the last one or, if that is enough, the first that fails; return how many failed."""
    gc.freeze()
    began, began_cpu, failed, done, virtual_s = time.monotonic(), time.process_time(), 0, 0, 0.0
    for seed in seeds:
        finding = run_schedule(seed, adjust)
        done += 1
        virtual_s += finding.virtual_s
        if finding.problems:
            failed += 1
            print(describe(finding), flush=True)
            if is_first_enough:
                break
        if done % REPORTED_EVERY == 0:
            print(f"{done:,} of {len(seeds):,} schedules, {failed} failed", file=sys.stderr, flush=True)
    took_s, cpu_s = time.monotonic() - began, time.process_time() - began_cpu
    print(
        f"{done:,} schedules from seed {seeds[0]}, {failed} failed; {virtual_s / 3600:.1f} virtual hours, "
        f"{cpu_s:.0f} s of CPU, {took_s:.0f} s"
    )
    return failed


def describe(finding: Finding, *, whole: bool = False) -> str:
    """Return a finding as text."""
    lines = [f"seed {finding.seed}: {finding.virtual_s:.0f} s, {finding.steps} steps, {finding.fingerprint:x}"]
    lines += [f"  {each}" for each in (finding.events if whole else ())]
    lines += [f"  {each}" for each in finding.diary]
    lines += [f"  broken: {each}" for each in finding.problems]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
