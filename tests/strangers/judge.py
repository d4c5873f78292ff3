"""Judges the witnesses of strangers' worlds in one process: `.venv/bin/python -m tests.strangers.judge [NAME]... [-v]`.

Each world is checked as `./run check` does, under seed 0; its witness is judged, priced and simulated with 32 replicas.
A world without a witness has `impossible.txt`, and is only checked. Exit code 1 if a world is not as it claims.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.loader import WITNESS, BenchmarkError, load, read_witness
from cad_worker.host import KernelHost
from cli.certification.certificates import Certificate, certify_world
from cli.certification.world_checks import check_one
from contracts.models.benchmark import Limits
from sim_worker.simulator import Simulator

WORLDS = Path(__file__).parent / "worlds"
IMPOSSIBLE = "impossible.txt"
REPLICAS = 32
_HEAD = f"{'world':<24}{'as claimed':<11}{'replicas %':>10}{'parts':>6}{'USD':>6}{'of':>6}{'kg':>7}{'of':>6}{'s':>6}"


def main() -> int:
    """Print a line per world, and how many are as they claim."""
    parser = argparse.ArgumentParser(description="Witnesses of strangers' worlds.")
    parser.add_argument("name", nargs="*", help="default: all")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what physics reports of each witness")
    arguments = parser.parse_args()
    names = arguments.name or sorted(folder.name for folder in WORLDS.iterdir())
    return asyncio.run(_judge(names, is_verbose=arguments.verbose))


async def _judge(names: Sequence[str], *, is_verbose: bool) -> int:
    print(_HEAD)
    right = 0
    host, simulator = KernelHost(), Simulator(threads=1)
    await host.start()
    try:
        for name in names:
            right += await _is_as_claimed(name, host, simulator, is_verbose=is_verbose)
    finally:
        await host.stop()
    print(f"{right} of {len(names)} worlds are as they claim")
    return 0 if right == len(names) else 1


async def _is_as_claimed(name: str, host: KernelHost, simulator: Simulator, *, is_verbose: bool) -> bool:
    folder, began = WORLDS / name, time.perf_counter()
    try:
        loaded = load(str(folder), seed=0)
    except BenchmarkError as error:
        print(f"{name:<24}NO  {error}")
        return False
    if not (folder / WITNESS).exists():
        reason = (folder / IMPOSSIBLE).read_text().strip()
        report = await check_one(name, loaded.environment_code, loaded.variant, host)
        print(f"{name:<24}{'NO' if report.fault else 'yes':<11}{report.fault or f'impossible: {reason}'}", flush=True)
        return not report.fault
    witness = read_witness(folder / "benchmark.yaml")
    certificate = await certify_world(name, (loaded, loaded.variant), witness, REPLICAS, host, simulator)
    print(_line(name, certificate, loaded.limits, time.perf_counter() - began), flush=True)
    if is_verbose and certificate.result is not None:
        print(certificate.result.summary_md)
    return certificate.result is not None and certificate.result.is_proven


def _line(name: str, certificate: Certificate, limits: Limits, seconds: float) -> str:
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
