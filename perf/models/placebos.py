"""How often a trial adopts a text that changes nothing: `./run perf models/placebos [--trials 100]`.

Simulated runs, and the rule that decides real trials, which looks at the figures after every pair. Exit code 1 if more
than 5 % of the placebos of any row are adopted.
"""

import argparse
import os
import sys
from itertools import product

from tests.support.event_logs.placebos import placebo_verdicts

MOST_ADOPTED = 0.05


def main() -> int:
    """Print a row for each share of solved runs, with and without a failure to look for."""
    parser = argparse.ArgumentParser(description="How often a trial adopts a text that changes nothing.")
    parser.add_argument("--trials", type=int, default=100, help="of each row")
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--seed", default=os.urandom(4).hex())
    arguments = parser.parse_args()
    print(f"{arguments.trials} placebos per row, at most {arguments.pairs} pairs each, seed {arguments.seed}")
    print("solved share  target  adopted  rejected  parked")
    worst = 0.0
    for share, target in product((0.1, 0.3, 0.5, 0.7, 0.9), ("", "error: ")):
        found = placebo_verdicts(arguments.trials, share, target, arguments.pairs, f"{arguments.seed} {share} {target}")
        print(
            f"{share:>12.1f}  {'yes' if target else 'no':>6}  {found['adopted']:>7}  {found['rejected']:>8}  "
            f"{found['parked']:>6}"
        )
        worst = max(worst, found["adopted"] / arguments.trials)
    print(f"most adopted: {worst:.0%}")
    return 0 if worst <= MOST_ADOPTED else 1


if __name__ == "__main__":
    sys.exit(main())
