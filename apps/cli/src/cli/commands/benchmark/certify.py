"""`millwright benchmark certify`."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from benchmarks.loader import file_of, read_witness
from contracts.text import counted
from local_stack.errors import UserError
from rich.console import Console
from rich.text import Text
from sim_worker.simulator import Simulator

from cli.certification.baseline import try_baseline
from cli.certification.certificates import Certificate, certify_worlds
from cli.certification.search import ChannelTrial, search_channel
from cli.certification.world_checks import World, opened_host, worlds_of
from cli.commands.benchmark.author_commands import BenchmarkArgument
from cli.commands.benchmark.certify_suite import SUITE_NAME, certify_suite
from cli.commands.eval import parse_seeds
from cli.entry import FAILED, OK, run
from cli.screen import MARKS, output_console, print_mark

REPLICAS = 32


def certify(  # noqa: PLR0913, PLR0917 - the options of the command
    name_or_path: BenchmarkArgument,
    seeds: Annotated[str, typer.Option(metavar="FIRST-LAST", help="Seeds of the worlds, or one seed.")] = "0-3",
    replicas: Annotated[int, typer.Option(min=29, max=1000, help="Replicas of each world.")] = REPLICAS,
    baseline: Annotated[bool, typer.Option(help="Also try one straight chute; `suite` always does.")] = False,
    search: Annotated[int, typer.Option(min=0, max=10_000, help="Also have a search bend so many channels.")] = 0,
    resume: Annotated[Path | None, typer.Option(help="suite: file of finished worlds, which are not repeated.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="suite: file for all certificates.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="suite: file for the table, with date and commit.")] = None,
) -> None:
    """Check each world, and that the witness.py of the folder solves it robustly and within the limits.

    With `suite` in place of a name: of every built-in benchmark.
    """
    if name_or_path == SUITE_NAME and search:
        raise UserError("--search belongs to one benchmark; name it in place of `suite`")
    if name_or_path == SUITE_NAME:
        run(certify_suite(parse_seeds(seeds), replicas, resume, json_file, markdown, output_console()))
    if any(each is not None for each in (resume, json_file, markdown)):
        raise UserError("--resume, --json and --markdown belong to `certify suite`; leave them out")
    witness = read_witness(file_of(name_or_path))
    worlds = worlds_of(name_or_path, parse_seeds(seeds))
    run(_certify(worlds, witness, replicas, output_console(), Baselines(baseline, search)))


class Baselines(NamedTuple):
    """What is tried beside the witness."""

    straight: bool
    search: int
    """Channels that a search may try; 0: none."""


async def _certify(
    worlds: Mapping[str, World], witness: str, replicas: int, console: Console, baselines: Baselines
) -> int:
    simulator = Simulator(threads=os.cpu_count() or 1)
    certificates: list[Certificate] = []
    async with opened_host() as host, aclosing(certify_worlds(worlds, witness, replicas, host)) as certified:
        async for certificate in certified:
            certificates.append(certificate)
            _print_certificate(console, certificate)
            if certificate.world.fault or certificate.world.files is None:
                continue
            world = worlds[certificate.world.name]
            if baselines.straight:
                chute = await try_baseline(world, replicas, host, simulator)
                detail = f" ({chute.problem})" if chute.problem else ""
                _print_baseline(console, certificate, "one straight chute", f"{_word(chute.is_solved)}{detail}")
            if baselines.search:
                trial = ChannelTrial(world[1], certificate.world.files.scene, replicas, simulator)
                found = await asyncio.to_thread(search_channel, trial, baselines.search)
                name = f"a search of {counted(found.trials, 'channel')}"
                _print_baseline(console, certificate, name, _word(found.is_solved))
    failed = sum(bool(each.fault) for each in certificates)
    summary = f"{counted(len(certificates) - failed, 'world')} of {len(certificates)} certified"
    console.print(Text(summary, style=MARKS["failure" if failed else "success"][1]))
    return FAILED if failed else OK


def _print_certificate(console: Console, certificate: Certificate) -> None:
    text = certificate.fault or _figures(certificate)
    print_mark(console, "failure" if certificate.fault else "success", f"{certificate.world.name}: {text}")


def _print_baseline(console: Console, certificate: Certificate, name: str, word: str) -> None:
    print_mark(console, "info", f"{certificate.world.name}: {name} {word}")


def _word(is_solved: bool) -> str:
    return "solves it as well" if is_solved else "does not solve it"


def _figures(certificate: Certificate) -> str:
    bill, result = certificate.bill, certificate.result
    if bill is None or result is None:
        raise ValueError(f"{certificate.world.name} is certified without a bill or a simulation")
    share = f"{result.success_rate:.0%} of {len(result.replicas)} replicas"
    return f"the witness solves it, {share}, {bill.unit_price_usd:.2f} USD, {bill.mass_kg:.3f} kg"
