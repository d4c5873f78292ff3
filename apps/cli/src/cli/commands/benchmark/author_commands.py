"""`millwright benchmark new|variant|show|schema`."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Annotated

import typer
from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.loader import FILE, TEMPLATE, load
from contracts.models.label import Label
from contracts.settings import COMMAND
from contracts.text import counted
from local_stack.errors import UserError
from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.table import Table
from rich.text import Text
from sim_worker.media.graphics_check import check as check_graphics
from sim_worker.media.world_picture import draw_side_by_side
from sim_worker.world_check import CheckedWorld

from cli.certification.world_checks import World, check_worlds, opened_host, worlds_to_show
from cli.commands.check import FOLDER
from cli.commands.eval import parse_seeds
from cli.entry import FAILED, OK, run
from cli.screen import output_console, print_mark, write_picture

SCHEMA = "benchmark.schema.json"
"""Written beside a new benchmark.yaml, whose first line names it, so that editors complete and check its fields."""
NAME_PLACE = "NAME"

BenchmarkArgument = Annotated[str, typer.Argument(help="A built-in name, or a folder with benchmark.yaml.")]


def new(
    name: Annotated[str, typer.Argument(help="Its name, which is also that of the new folder.")],
    parent: Annotated[Path, typer.Option("--in", help="The folder that gets the new one.")] = Path(),
) -> None:
    """Write a folder with a small commented benchmark and its witness, which is certified as it is."""
    try:
        TypeAdapter(Label).validate_python(name)
    except ValidationError as error:
        raise UserError(f"{name!r} cannot be a name: use a letter, then at most 63 letters, digits, _ or -") from error
    folder = parent / name
    try:
        folder.mkdir(parents=True)
        for source in sorted(TEMPLATE.glob("*.*")):
            text = source.read_text(encoding="utf-8")
            text = text.replace(f"name: {NAME_PLACE}", f"name: {name}", 1) if source.name == FILE else text
            (folder / source.name).write_text(text, encoding="utf-8")
        (folder / SCHEMA).write_text(schema_text(), encoding="utf-8")
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror}; choose another name or --in") from error
    console = output_console()
    for line in (f"written: {folder}", f"next: {COMMAND} benchmark certify {folder}; {COMMAND} solve {folder}"):
        console.print(Text(line), soft_wrap=True)


def schema() -> None:
    """Print the JSON schema of benchmark.yaml, for editors."""
    typer.echo(schema_text(), nl=False)


def schema_text() -> str:
    """Return the JSON schema of benchmark.yaml."""
    content = {"$schema": "https://json-schema.org/draft/2020-12/schema", **BenchmarkFile.model_json_schema()}
    return json.dumps(content, indent=2) + "\n"


def variant(
    name_or_path: BenchmarkArgument,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the variant.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole variant as JSON.")] = False,
) -> None:
    """Show the world that a seed makes of a benchmark, and everything that it drew."""
    drawn = load(name_or_path, seed).variant
    if as_json:
        typer.echo(drawn.model_dump_json(indent=2))
        return
    boxes = Table("box", "from (mm)", "to (mm)", box=None, pad_edge=False)
    zones = [(zone.label, zone.box) for zone in (*drawn.forbid_zones, *drawn.obstacles)]
    fixed = (("bounds", drawn.bounds), ("build_zone", drawn.build_zone), ("goal_zone", drawn.goal_zone))
    for label, box in (*fixed, *zones):
        boxes.add_row(Text(label), _millimetres(box.min_mm), _millimetres(box.max_mm))
    draws = Table("drawn", "value", box=None, pad_edge=False)
    for draw in drawn.draws:
        draws.add_row(Text(draw.name), f"{draw.value:.4g}")
    console = output_console()
    console.print(Text(f"{drawn.benchmark}, seed {seed}", style="bold"))
    for payload in drawn.payloads:
        name = payload.label if drawn.more_payloads else "payload"
        console.print(Text(f"{name}: {payload.shape} of {payload.size_text} at {_millimetres(payload.start_mm)} mm"))
    if drawn.more_payloads:
        console.print(Text(f"must arrive: {drawn.must_arrive} of them"))
    console.print(Text(""))
    console.print(boxes)
    console.print(Text(f"\n{counted(drawn.redraws, 'invalid world')} drawn before this one"))
    console.print(draws)


def _millimetres(place: tuple[float, float, float]) -> str:
    return ", ".join(f"{each:g}" for each in place)


def show(
    name_or_path: BenchmarkArgument,
    seeds: Annotated[str, typer.Option(metavar="FIRST-LAST", help="Seeds of the worlds, or one seed.")] = "0-5",
    picture: Annotated[Path | None, typer.Option(help="PNG; default out/check/NAME-worlds.png.")] = None,
) -> None:
    """Draw the nominal world and those of several seeds side by side, into one picture."""
    if problem := check_graphics():
        raise UserError(f"no picture can be drawn: {problem}")
    worlds = worlds_to_show(name_or_path, parse_seeds(seeds))
    name = next(iter(worlds.values()))[1].benchmark
    run(_show(worlds, picture or FOLDER / f"{name}-worlds.png", output_console()))


async def _show(worlds: Mapping[str, World], file: Path, console: Console) -> int:
    drawn: dict[str, CheckedWorld] = {}
    async with opened_host() as host, aclosing(check_worlds(worlds, host)) as checked:
        async for report in checked:
            if report.simulated is not None:
                drawn[report.name] = report.simulated
            if report.fault:
                print_mark(console, "failure", f"{report.name}: {report.fault}")
    if drawn:
        await asyncio.to_thread(write_picture, file, lambda: draw_side_by_side(drawn))
        print_mark(console, "info", f"picture of {counted(len(drawn), 'world')}: {file}")
    return OK if len(drawn) == len(worlds) else FAILED
