"""`millwright benchmark certify`."""

from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Annotated

import typer
from benchmarks.loader import WITNESS, BenchmarkError, file_of
from rich.console import Console
from rich.text import Text

from cli.certification import Certificate, certify_worlds
from cli.commands.benchmark.author_commands import BenchmarkArgument
from cli.commands.eval import parse_seeds
from cli.entry import FAILED, OK, run
from cli.screen import MARKS, output_console, print_mark
from cli.text import counted
from cli.world_checks import World, opened_host, worlds_of

REPLICAS = 32


def certify(
    name_or_path: BenchmarkArgument,
    seeds: Annotated[str, typer.Option(metavar="FIRST-LAST", help="Seeds of the worlds, or one seed.")] = "0-3",
    replicas: Annotated[int, typer.Option(min=29, max=1000, help="Replicas of each world.")] = REPLICAS,
) -> None:
    """Check each world, and that the witness.py of the folder solves it robustly and within the limits."""
    witness = _read_witness(file_of(name_or_path).with_name(WITNESS))
    run(_certify(worlds_of(name_or_path, parse_seeds(seeds)), witness, replicas, output_console()))


def _read_witness(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        remedy = f"write a {WITNESS} that binds `assembly`; see `millwright benchmark new`"
        raise BenchmarkError(str(file), f"it cannot be read: {error}; {remedy}") from error


async def _certify(worlds: Mapping[str, World], witness: str, replicas: int, console: Console) -> int:
    certificates: list[Certificate] = []
    async with opened_host() as host, aclosing(certify_worlds(worlds, witness, replicas, host)) as certified:
        async for certificate in certified:
            certificates.append(certificate)
            _print_certificate(console, certificate)
    failed = sum(bool(each.fault) for each in certificates)
    summary = f"{counted(len(certificates) - failed, 'world')} of {len(certificates)} certified"
    console.print(Text(summary, style=MARKS["failure" if failed else "success"][1]))
    return FAILED if failed else OK


def _print_certificate(console: Console, certificate: Certificate) -> None:
    text = certificate.fault or _figures(certificate)
    print_mark(console, "failure" if certificate.fault else "success", f"{certificate.world.name}: {text}")


def _figures(certificate: Certificate) -> str:
    bill, result = certificate.bill, certificate.result
    if bill is None or result is None:
        raise ValueError(f"{certificate.world.name} is certified without a bill or a simulation")
    share = f"{result.success_rate:.0%} of {len(result.replicas)} replicas"
    return f"the witness solves it, {share}, {bill.unit_price_usd:.2f} USD, {bill.mass_kg:.3f} kg"
