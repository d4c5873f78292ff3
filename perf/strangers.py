"""Strangers' worlds that the offline expert solves: `./run perf strangers [NAME]... [--replicas 32]`.

Each is given to the expert, and what it answers is compared with what the world's author claims: a hand-made design
solves it, or it is impossible. A refusal that names figures of a world with such a design is a false one.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from benchmarks.loader import load

from perf.suite import HEAD, line
from tests.strangers.judge import IMPOSSIBLE, WORLDS
from tests.support.benchmark_solver import REPLICAS, bench


def main() -> int:
    """Print a line per world, and how many of the solvable ones are solved."""
    parser = argparse.ArgumentParser(description="Strangers' worlds that the offline expert solves.")
    parser.add_argument("name", nargs="*", help="default: all")
    parser.add_argument("--replicas", type=int, default=REPLICAS)
    arguments = parser.parse_args()
    names = arguments.name or sorted(folder.name for folder in WORLDS.iterdir())
    return asyncio.run(_measure(names, arguments.replicas))


async def _measure(names: Sequence[str], replicas: int) -> int:
    print(HEAD)
    solved: list[str] = []
    solvable = [name for name in names if not (WORLDS / name / IMPOSSIBLE).exists()]
    async with bench(replicas) as tried:
        for name in names:
            solution = await tried.solve(load(str(WORLDS / name), seed=0))
            print(("  " if name in solvable else "* ") + line(solution), flush=True)
            solved += [name] * solution.is_solved
    print(f"{len(set(solved) & set(solvable))} of {len(solvable)} solvable worlds are solved", flush=True)
    print(f"{len(set(solved) - set(solvable))} of {len(names) - len(solvable)} impossible (*) ones are", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
