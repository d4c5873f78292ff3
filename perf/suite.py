"""Seeds of the suite that the offline expert solves: `./run perf suite [--seeds 0-19] [--benchmark NAME]...`.

`--empty` simulates the worlds without a machine (none may be solved), `--witness` the witnesses of the benchmarks.
Exit code 1 if a family has less than 90 %.
"""

import argparse
import asyncio
import sys

from benchmarks.loader import built_in, file_of, load, read_witness

from tests.support.benchmark_solver import Bench, Solution, bench

LEAST_SHARE = 0.9
HEAD = (
    f"{'benchmark':<16}{'seed':>5} {'solved':<7}{'rate %':>7}{'designs':>8}{'parts':>6}{'mass g':>8}{'USD':>8}{'s':>7}"
)


def main() -> int:
    """Print a line per seed and a sum per family."""
    arguments = _arguments()
    return asyncio.run(_measure(arguments))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Seeds of the suite that the offline expert solves.")
    parser.add_argument("--seeds", default="0-19", help="first-last")
    parser.add_argument("--benchmark", action="append", choices=built_in(), help="default: all")
    parser.add_argument("--witness", action="store_true", help="use the witnesses instead of the expert")
    parser.add_argument(
        "--empty", action="store_true", help="simulate the worlds without a machine; none may be solved"
    )
    return parser.parse_args()


async def _measure(arguments: argparse.Namespace) -> int:
    first, last = (int(end) for end in arguments.seeds.split("-"))
    seeds = range(first, last + 1)
    is_enough = True
    async with bench() as tried:
        for name in arguments.benchmark or built_in():
            if arguments.empty:
                is_enough &= await _none_solve_themselves(tried, name, seeds)
            else:
                is_enough &= await _family(tried, name, seeds, with_witness=arguments.witness)
    return 0 if is_enough else 1


async def _family(tried: Bench, name: str, seeds: range, *, with_witness: bool) -> bool:
    print(HEAD)
    solved = 0
    witness = read_witness(file_of(name))
    for seed in seeds:
        loaded = load(name, seed)
        solution = await (tried.witness(loaded, witness) if with_witness else tried.solve(loaded))
        solved += solution.is_solved
        print(line(solution), flush=True)
    print(f"{name}: {solved} of {len(seeds)} solved\n", flush=True)
    return solved >= LEAST_SHARE * len(seeds)


async def _none_solve_themselves(tried: Bench, name: str, seeds: range) -> bool:
    fell_in = [seed for seed in seeds if (await tried.without_machine(load(name, seed))).success_rate > 0.0]
    print(f"{name}: {len(fell_in)} of {len(seeds)} worlds solve themselves in some replica {fell_in or ''}", flush=True)
    return not fell_in


def line(solution: Solution) -> str:
    bill, result = solution.bill, solution.result
    parts, mass, price = (bill.part_count, bill.mass_kg * 1000, bill.unit_price_usd) if bill else (0, 0.0, 0.0)
    rate = 100 * result.success_rate if result else 0.0
    word = "yes" if solution.is_solved else "NO"
    notes = "  " + "; ".join([*solution.complaints, solution.refusal]).strip("; ")
    return (
        f"{solution.benchmark:<16}{solution.seed:>5} {word:<7}{rate:>7.0f}{solution.designs:>8}{parts:>6}{mass:>8.0f}"
        f"{price:>8.0f}{solution.seconds:>7.1f}{notes}"
    ).rstrip()


if __name__ == "__main__":
    sys.exit(main())
