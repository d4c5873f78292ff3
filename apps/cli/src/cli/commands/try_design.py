"""`millwright try BENCHMARK SCRIPT`."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from local_stack.errors import UserError
from millwright import DesignVerdict, JudgedDesign, ScriptError, Workshop
from millwright.workshop import MAX_REPLICAS, REPLICAS
from rich.console import Console
from rich.text import Text
from sandbox.zygote.client import SandboxUnavailableError
from sim_worker.media.graphics_check import check as check_graphics
from sim_worker.media.motion import NothingToFilmError

from cli.entry import FAILED, OK, run
from cli.runs.delivery_folder import require_own_or_empty, write_delivery
from cli.screen import output_console, print_mark

FOLDER = Path("out") / "try"


def try_design(  # noqa: PLR0913, PLR0917 - the options of a command
    benchmark: Annotated[str, typer.Argument(help="A built-in name, or a folder with benchmark.yaml.")],
    script: Annotated[Path, typer.Argument(help="A Python file that binds `assembly`, or a folder with script.py.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed of the world.")] = 0,
    replicas: Annotated[int, typer.Option(min=2, max=MAX_REPLICAS, help="Jittered replicas.")] = REPLICAS,
    out: Annotated[Path, typer.Option(help="Folder of film, STEP files, bill and verdict.")] = FOLDER,
    film: Annotated[bool, typer.Option(help="Film the simulation, which takes some seconds.")] = True,
    json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON, and write no files.")] = False,
) -> None:
    """Judge a design of your own in a benchmark's world: valid, priced, simulated; with its film. No servers."""
    if not json:
        require_own_or_empty(out)
    run(_try(benchmark, script, seed, replicas, None if json else out, film))


async def _try(  # noqa: PLR0913, PLR0917 - as above
    benchmark: str, script: Path, seed: int, replicas: int, out: Path | None, has_film: bool
) -> int:
    console = output_console()
    try:
        async with Workshop() as workshop:
            trial = await workshop.judge(script, benchmark, seed=seed, replicas=replicas)
    except (ScriptError, SandboxUnavailableError) as error:
        raise UserError(str(error)) from error
    if out is None:
        typer.echo(trial.verdict.model_dump_json(indent=1))
    else:
        _print(console, trial.verdict)
        await asyncio.to_thread(_write, trial, out, has_film, console)
    return OK if trial.verdict.is_solved else FAILED


def _print(console: Console, verdict: DesignVerdict) -> None:
    """Print the verdict: the headline, then what explains it."""
    heading, _, rest = verdict.markdown().partition("\n")
    print_mark(console, "success" if verdict.is_solved else "failure", heading.removeprefix("# "))
    console.print(Text(rest.strip()), soft_wrap=True)


def _write(trial: JudgedDesign, out: Path, has_film: bool, console: Console) -> None:
    problem = check_graphics() if has_film and trial.record is not None else None
    if problem is not None:
        print_mark(console, "failure", f"no film: {problem}")
    try:
        contents = trial.contents(has_film=has_film and problem is None)
    except NothingToFilmError as error:
        print_mark(console, "info", f"no film: {error}")
        contents = trial.contents(has_film=False)
    write_delivery(out, contents)
    shown = "simulation.mp4" if "simulation.mp4" in contents else "verdict.md"
    print_mark(console, "info", f"{len(contents)} files in {out}; next, open {out / shown}")
