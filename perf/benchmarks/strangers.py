"""Strangers' worlds: `./run perf benchmarks/strangers [NAME]... [--witness]`.

Each is given to the rule-based expert, and what it answers is compared with what the world claims: a hand-made design
solves it, or it is impossible (marked by *). A refusal that names figures of a world with such a design is a false one.
With `--witness` the claims are tested instead: each world is checked as `./run check` does, and its hand-made design
is judged, priced and simulated. Exit code 1 if a world is not as it claims.
"""

import argparse
import asyncio
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.loader import WITNESS, load, read_witness
from cad_worker.host import KernelHost
from cli.certification.certificates import Certificate, certify_world
from cli.certification.world_checks import check_one
from contracts.models.benchmark import Limits
from sim_worker.simulator import Simulator

from perf.suite import HEAD, line
from tests.support.benchmark_solver import REPLICAS, bench

WORLDS = Path(__file__).parents[2] / "tests/strangers/worlds"
IMPOSSIBLE = "impossible.txt"
"""A file in place of a witness: one line, why."""
_INCLUDE = re.compile(r"^# include: (\w+\.py)$", re.MULTILINE)
"""The line of a witness in whose place a file beside the worlds comes."""
_CLAIM_HEAD = (
    f"{'world':<24}{'as claimed':<11}{'replicas %':>10}{'parts':>6}{'USD':>6}{'of':>6}{'kg':>7}{'of':>6}{'s':>6}"
)


def main() -> int:
    """Print a line per world, and sums."""
    parser = argparse.ArgumentParser(description="Worlds of strangers: solved by the expert, or as they claim.")
    parser.add_argument("name", nargs="*", help="default: all")
    parser.add_argument("--witness", action="store_true", help="test what the worlds claim")
    arguments = parser.parse_args()
    names = arguments.name or names_of_worlds()
    return asyncio.run(_test_claims(names) if arguments.witness else _solve(names))


def names_of_worlds() -> list[str]:
    """Return the names of all worlds, sorted."""
    return sorted(file.parent.name for file in WORLDS.glob("*/benchmark.yaml"))


async def _solve(names: Sequence[str]) -> int:
    print(HEAD)
    solved: list[str] = []
    solvable = [name for name in names if not (WORLDS / name / IMPOSSIBLE).exists()]
    async with bench() as tried:
        for name in names:
            solution = await tried.solve(load(str(WORLDS / name), seed=0))
            print(("  " if name in solvable else "* ") + line(solution), flush=True)
            solved += [name] * solution.is_solved
    print(f"{len(set(solved) & set(solvable))} of {len(solvable)} solvable worlds are solved", flush=True)
    print(f"{len(set(solved) - set(solvable))} of {len(names) - len(solvable)} impossible (*) ones are", flush=True)
    return 0


async def _test_claims(names: Sequence[str]) -> int:
    print(_CLAIM_HEAD)
    right = 0
    host, simulator = KernelHost(), Simulator(threads=1)
    await host.start()
    try:
        for name in names:
            right += await _is_as_claimed(name, host, simulator)
    finally:
        await host.stop()
    print(f"{right} of {len(names)} worlds are as they claim")
    return 0 if right == len(names) else 1


async def _is_as_claimed(name: str, host: KernelHost, simulator: Simulator) -> bool:
    folder, began = WORLDS / name, time.perf_counter()
    loaded = load(str(folder), seed=0)
    if not (folder / WITNESS).exists():
        reason = (folder / IMPOSSIBLE).read_text().strip()
        report = await check_one(name, loaded.environment_code, loaded.variant, host)
        print(f"{name:<24}{'NO' if report.fault else 'yes':<11}{report.fault or f'impossible: {reason}'}", flush=True)
        return not report.fault
    text = read_witness(folder / "benchmark.yaml")
    witness = _INCLUDE.sub(lambda line: (WORLDS / line[1]).read_text(), text)
    certificate = await certify_world(name, (loaded, loaded.variant), witness, REPLICAS, host, simulator)
    print(_claim_line(name, certificate, loaded.limits, time.perf_counter() - began), flush=True)
    return certificate.result is not None and certificate.result.is_proven


def _claim_line(name: str, certificate: Certificate, limits: Limits, seconds: float) -> str:
    bill, result = certificate.bill, certificate.result
    parts, price, mass = (bill.part_count, bill.unit_price_usd, bill.mass_kg) if bill else (0, 0.0, 0.0)
    rate = 100 * result.success_rate if result else 0.0
    word = "yes" if result is not None and result.is_proven else "NO"
    most_usd, most_kg = limits.max_unit_price_usd, limits.max_mass_kg
    price_limit, mass_limit = "-" if most_usd is None else f"{most_usd:g}", "-" if most_kg is None else f"{most_kg:g}"
    figures = f"{rate:>10.0f}{parts:>6}{price:>6.0f}{price_limit:>6}{mass:>7.2f}{mass_limit:>6}{seconds:>6.1f}"
    return f"{name:<24}{word:<11}{figures}  {certificate.fault}".rstrip()


if __name__ == "__main__":
    sys.exit(main())
