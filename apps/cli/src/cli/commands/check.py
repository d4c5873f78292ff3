"""`millwright check BENCHMARK`."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Annotated

import typer
from agent.rendering.environment_motion import environment_motion
from benchmarks.loader import BenchmarkError, LoadedBenchmark
from cad_worker.job_protocol import EnvironmentFiles
from contracts.event_line import limits_text
from contracts.text import counted
from rich.console import Console
from rich.text import Text
from sim_worker.media.graphics_check import check as check_graphics
from sim_worker.media.world_picture import draw_world
from sim_worker.world_check import CheckedWorld

from cli.certification.world_checks import World, WorldReport, check_worlds, opened_host, worlds_of
from cli.commands.eval import parse_seeds
from cli.entry import FAILED, OK, run
from cli.screen import MARKS, output_console, print_mark, write_picture

FOLDER = Path("out") / "check"


def check(
    benchmark: Annotated[str, typer.Argument(help="A built-in name, or a folder with benchmark.yaml.")],
    seeds: Annotated[str, typer.Option(metavar="FIRST-LAST", help="Seeds of the worlds, or one seed.")] = "0-4",
    picture: Annotated[Path | None, typer.Option(help="PNG of the first world; default out/check/NAME.png.")] = None,
) -> None:
    """Check a benchmark without a run: its files, its worlds under several seeds, and a picture."""
    console = output_console()
    try:
        worlds = worlds_of(benchmark, parse_seeds(seeds))
    except BenchmarkError as error:
        console.print(Text(error.where, style="bold"), soft_wrap=True)
        for fault in error.faults:
            print_mark(console, "failure", fault)
        _print_summary(console, len(error.faults))
        raise typer.Exit(FAILED) from error
    run(_check(worlds, picture, console))


async def _check(worlds: Mapping[str, World], picture: Path | None, console: Console) -> int:
    loaded = next(iter(worlds.values()))[0]
    console.print(Text(f"{loaded.file.name}: {loaded.file.title}", style="bold"), soft_wrap=True)
    print_mark(console, "success", f"files are readable and consistent; limits: {_limits(loaded)}")
    print_mark(console, "info", loaded.file.randomisation.text)
    reports: list[WorldReport] = []
    async with opened_host() as host, aclosing(check_worlds(worlds, host)) as checked:
        async for report in checked:
            reports.append(report)
            print_report(console, report)
    _print_motion(console, [report.files for report in reports if report.files is not None])
    drawn = next((report.simulated for report in reports if report.simulated is not None), None)
    if drawn is not None:
        await asyncio.to_thread(_draw, drawn, picture or FOLDER / f"{loaded.file.name}.png", console)
    if len(reports) < len(worlds):
        print_mark(console, "info", f"not checked, since that took too long: {', '.join([*worlds][len(reports) :])}")
    faults = sum(bool(report.fault) for report in reports)
    _print_summary(console, faults)
    return FAILED if faults else OK


def print_report(console: Console, report: WorldReport) -> None:
    """Print the result of checking one world."""
    if report.fault or report.files is None or report.simulated is None:
        print_mark(console, "failure", f"{report.name}: {report.fault}")
        return
    solids = counted(len(report.files.geometry.solids), "solid")
    print_mark(console, "success", f"{report.name}: {solids}; {report.simulated.without_machine}")


def _print_motion(console: Console, built: Sequence[EnvironmentFiles]) -> None:
    """Print what moves in the first world; how many parts there are may depend on the seed."""
    if built:
        geometry = built[0].geometry
        console.print(Text("Moving parts of the environment", style="bold"))
        console.print(Text(environment_motion(geometry.mechanism, geometry.solids, ())), soft_wrap=True)


def _draw(simulated: CheckedWorld, file: Path, console: Console) -> None:
    problem = check_graphics()
    if problem is not None:
        print_mark(console, "failure", f"no picture: {problem}")
        return
    write_picture(file, lambda: draw_world(simulated))
    print_mark(console, "info", f"picture: {file}")


def _limits(loaded: LoadedBenchmark) -> str:
    supply_w = loaded.variant.supply_limit_w
    return limits_text(loaded.limits) + ("" if supply_w is None else f", ≤ {supply_w:g} W for all motors together")


def _print_summary(console: Console, faults: int) -> None:
    summary = f"{counted(faults, 'fault')} found" if faults else "no faults found"
    console.print(Text(summary, style=MARKS["failure" if faults else "success"][1]))
