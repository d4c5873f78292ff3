"""Random variants of random benchmark files: `./run perf benchmarks/variants [--count 1000] [--seed 0]`.

Each must stay within its scaled original boxes, keep start, goal and what is forbidden apart, and be reproduced from
its seed. Exit code 1 if one does not, or if more than a tenth of all seeds draw no valid world.
"""

import argparse
import sys
import time
from collections import Counter
from random import Random

from tests.support.worlds.promises import broken_promises, random_file, variant_or_none

MOST_WITHOUT_WORLD = 0.1


def main() -> int:
    """Print what was broken, how often worlds were drawn again, and how long a variant takes."""
    parser = argparse.ArgumentParser(description="Random variants of random benchmark files.")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    redraws: Counter[int] = Counter()
    broken = without_world = 0
    spent_s = 0.0
    for number in range(arguments.seed, arguments.seed + arguments.count):
        file = random_file(Random(number))  # noqa: S311 - not used for security
        began = time.perf_counter()
        variant = variant_or_none(file, number)
        spent_s += time.perf_counter() - began
        if variant is None:
            without_world += 1
            continue
        redraws[variant.redraws] += 1
        problems = broken_promises(file, variant)
        if variant_or_none(file, number) != variant:
            problems.append("it is not reproduced")
        broken += bool(problems)
        if problems:
            print(f"{number}: {', '.join(problems)}")
    count = arguments.count
    print(f"{count} files, each under its own seed: {broken} broke a promise, {without_world} drew no valid world")
    again, each_ms = redraws.total() - redraws[0], 1000 * spent_s / count
    print(f"drawn again: {again} seeds, at most {max(redraws)} times; {each_ms:.1f} ms a variant")
    return int(broken > 0 or without_world > MOST_WITHOUT_WORLD * count)


if __name__ == "__main__":
    sys.exit(main())
