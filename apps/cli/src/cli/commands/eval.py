"""`millwright eval BENCHMARK...`."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Annotated, get_args

import typer
from benchmarks.loader import load
from contracts.models.benchmark import Executor, Limits
from local_stack.disk_space import require_disk_space
from local_stack.errors import UserError
from local_stack.settings import CliSettings, read_settings
from local_stack.stack import StackOptions, open_stack
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli.entry import OK, run
from cli.runs.evaluation import Evaluation, Score, TrialResult, orders_of, trials
from cli.runs.request import RunOptions, budget_of, require_model
from cli.screen import saying, screen
from cli.text import one_line

EXECUTORS: tuple[Executor, ...] = get_args(Executor)
MOST_SEEDS = 1000
WIDTH = 200


def eval(  # noqa: A001, PLR0913, PLR0917 - the command's name and its options
    benchmarks: Annotated[list[str], typer.Argument(help="Built-in names, or folders with benchmark.yaml.")],
    seeds: Annotated[str, typer.Option(metavar="FIRST-LAST", help="Which worlds; one number is one world.")] = "0-4",
    executor: Annotated[str, typer.Option(metavar="A,B", help=f"Of {', '.join(EXECUTORS)}.")] = "code",
    model: Annotated[str | None, typer.Option(help="`offline`, `openai:NAME` or `anthropic:NAME`.")] = None,
    max_steps: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Model calls of the engineer, each run.")
    ] = None,
    max_cost: Annotated[float | None, typer.Option(metavar="USD", min=0.0001, help="Of each run.")] = None,
    at_once: Annotated[int, typer.Option(min=1, max=16, help="Runs under way at the same time.")] = 1,
    json_file: Annotated[Path | None, typer.Option("--json", help="File for every run and every sum.")] = None,
) -> None:
    """Run benchmarks by one or more executors, and print side by side what they came to."""
    surroundings = read_settings()
    given = {"max_steps": max_steps, "max_cost_usd": max_cost}
    budget = budget_of({name: value for name, value in given.items() if value is not None})
    every = RunOptions(benchmarks[0], 0, model or surroundings.millwright_model, 100, Limits(), budget)
    orders = orders_of(benchmarks, executors_of(executor), seeds_of(seeds), every)
    for order in orders:
        load(order.benchmark, order.seed)
    require_model(every.model, budget, keys_elsewhere=surroundings.services_elsewhere)
    require_disk_space(surroundings.millwright_data, json_file or Path())
    run(_evaluate(orders, at_once, json_file, surroundings, screen()))


def executors_of(text: str) -> list[Executor]:
    """Return the executors that are named, in the language's order; raise `CannotGoOnError` for what is none."""
    named = text.replace(" ", "").split(",")
    if unknown := [name for name in named if name not in EXECUTORS]:
        raise UserError(f"no executor {unknown[0]!r}: name some of {', '.join(EXECUTORS)}, with commas")
    return [each for each in EXECUTORS if each in named]


def seeds_of(text: str) -> range:
    """Return the seeds; raise `CannotGoOnError` unless they read `0-4` or `3`."""
    first, _, last = text.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal():
        raise UserError(f"--seeds {text!r}: give the first and the last, such as 0-4")
    seeds = range(int(first), int(last or first) + 1)
    if not 0 < len(seeds) <= MOST_SEEDS:
        raise UserError(f"--seeds {text!r} are {len(seeds)} seeds; 1 to {MOST_SEEDS} can be run")
    return seeds


async def _evaluate(
    orders: Sequence[RunOptions], at_once: int, json_file: Path | None, surroundings: CliSettings, console: Console
) -> int:
    done: list[TrialResult] = []
    say = saying(console)
    async with (
        open_stack(StackOptions(surroundings, report=say)) as stack,
        aclosing(trials(stack, orders, at_once)) as results,
    ):
        async for trial in results:
            done.append(trial)
            say(_line(trial, len(done), len(orders)))
            if json_file is not None:  # after each: what was measured survives whatever comes
                await asyncio.to_thread(_write, Evaluation.of(done), json_file)
    if not console.is_terminal:
        console.width = WIDTH
    console.print(scores_table(Evaluation.of(done).scores))
    return OK


def _write(evaluation: Evaluation, file: Path) -> None:
    try:
        file.write_text(evaluation.model_dump_json(indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{file} cannot be written: {error.strerror}; choose another with --json") from error


def _line(trial: TrialResult, number: int, count: int) -> str:
    outcome = "solved" if trial.solved else f"FAILED {one_line(trial.reason, 80)}"
    what = f"{trial.benchmark} seed {trial.seed} {trial.executor}"
    return f"{number:>3}/{count} {what}: {outcome}, {trial.steps} steps, {trial.time_s:.1f} s, run {trial.run_id}"


def scores_table(scores: Sequence[Score]) -> Table:
    """Return one line for each benchmark and executor."""
    table = Table(box=None, pad_edge=False)
    names = ("benchmark", "executor", "solved", "95 % interval", "steps", "calls", "tokens", "cost", "time")
    for name in (*names, "unit price", "mass"):
        table.add_column(name, no_wrap=True)
    for score in scores:
        low, high = score.interval
        table.add_row(
            Text(one_line(score.benchmark, 40)),
            score.executor,
            f"{score.solved}/{score.runs}",
            f"{low:.0%} to {high:.0%}",
            f"{score.steps:g}",
            f"{score.model_calls:g}",
            f"{score.tokens:,.0f}",
            _measure(score.cost_usd, ".4f", "USD"),
            f"{score.time_s:.1f} s",
            _measure(score.unit_price_usd, ".2f", "USD"),
            _measure(score.mass_kg, ".3f", "kg"),
        )
    return table


def _measure(value: float | None, form: str, unit: str) -> str:
    return "" if value is None else f"{value:{form}} {unit}"
