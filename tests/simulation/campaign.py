"""Schedules of the whole cluster in virtual time: `./run simulate [--seeds 10000] [--seed N] [--without FIX]`."""

import argparse
import gc
import sys
import time

from tests.simulation.schedule import Finding, run_schedule


def main() -> None:
    """Run schedules and print those that break a rule; exit with 1 if there are any."""
    parser = argparse.ArgumentParser(description="Deterministic simulation of the services, fault by fault.")
    parser.add_argument("--seeds", type=int, default=1_000, help="how many schedules")
    parser.add_argument("--first", type=int, default=0, help="seed of the first one")
    parser.add_argument("--seed", type=int, help="replay this one and print all of it")
    arguments = parser.parse_args()
    if arguments.seed is not None:
        finding = run_schedule(arguments.seed, logs=True)
        print(describe(finding, whole=True))
        sys.exit(bool(finding.problems))
    gc.freeze()
    began, failed = time.process_time(), 0
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        finding = run_schedule(seed)
        if finding.problems:
            failed += 1
            print(describe(finding), flush=True)
    print(f"{arguments.seeds} schedules, {failed} failed, {time.process_time() - began:.0f} s of CPU")
    sys.exit(bool(failed))


def describe(finding: Finding, *, whole: bool = False) -> str:
    """Return a finding as text."""
    lines = [f"seed {finding.seed}: {finding.virtual_s:.0f} s, {finding.steps} steps, {finding.fingerprint:x}"]
    lines += [f"  {each}" for each in (finding.events if whole else ())]
    lines += [f"  {each}" for each in finding.diary]
    lines += [f"  broken: {each}" for each in finding.problems]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
