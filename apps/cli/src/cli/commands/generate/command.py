"""`millwright generate TASK`."""

import os
import secrets
from pathlib import Path
from typing import Annotated

import typer
from agent.model.providers import offline_level
from agent.token_prices import RULE_BASED
from local_stack.errors import UserError
from local_stack.settings import read_settings

from cli.entry import run
from cli.options import Separate
from cli.runs.generation import GenerationOptions, generate_benchmarks
from cli.screen import output_console

OUT = Path("out") / "generated"
SEEDS = 1_000_000


def generate(  # noqa: PLR0913, PLR0917 - the options of the command
    task: Annotated[str, typer.Argument(help="What the benchmarks are about, such as `a ball must cross a gap`.")],
    level: Annotated[
        int | None, typer.Option(min=1, max=3, help="How hard they are; default by TASK, or else 2.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=100, help="How many.")] = 1,
    model: Annotated[str | None, typer.Option(help="`offline`, `openai:NAME` or `anthropic:NAME`.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Number of the first one, from which `offline` draws; default random.")
    ] = None,
    worlds: Annotated[
        int, typer.Option(min=1, max=16, help="Seeds that are certified; four times as many if something moves.")
    ] = 3,
    drafts: Annotated[int, typer.Option(min=1, max=20, help="Drafts of each benchmark.")] = 4,
    at_once: Annotated[int | None, typer.Option(min=1, max=64, help="Runs at once; default one per core.")] = None,
    deadline: Annotated[float, typer.Option(metavar="SECONDS", min=1, help="Time limit of each benchmark.")] = 3600.0,
    separate: Separate = False,
    out: Annotated[Path, typer.Option(help="Folder that gets a folder for each benchmark.")] = OUT,
) -> None:
    """Invent benchmarks: each is planned, written, certified under several seeds, reviewed and published."""
    if not task.strip():
        raise UserError("TASK is empty: write what the benchmarks are about")
    settings = read_settings()
    model = model or settings.millwright_model
    options = GenerationOptions(
        task=task.strip(),
        level=level or (offline_level(task) if model in RULE_BASED else None) or 2,
        count=count,
        model=model,
        seed=secrets.randbelow(SEEDS) if seed is None else seed,
        worlds=worlds,
        drafts=drafts,
        at_once=at_once or len(os.sched_getaffinity(0)),
        deadline_s=deadline,
    )
    run(generate_benchmarks(options, out, settings, output_console(), separate=separate))
