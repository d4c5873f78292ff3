"""`millwright solve BENCHMARK`."""

from pathlib import Path
from typing import Annotated

import typer
from contracts.models.benchmark import Executor, Limits
from local_stack.errors import UserError
from local_stack.settings import read_settings
from run_requests.request import ContinuationOptions, RunOptions, budget_of

from cli.entry import run
from cli.options import Separate, parse_run_id
from cli.runs.execution import RunPlace, continue_run, solve_benchmark
from cli.screen import output_console

A_YEAR_S = 31_536_000


def solve(  # noqa: PLR0913, PLR0917 - the options of the command
    benchmark: Annotated[str | None, typer.Argument(help="A built-in name, or a folder with benchmark.yaml.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Variant of the benchmark; default 0.")] = None,
    model: Annotated[str | None, typer.Option(help="`offline`, `search`, `openai:NAME` or `anthropic:NAME`.")] = None,
    quantity: Annotated[int | None, typer.Option(min=1, help="How many machines to price; default 100.")] = None,
    deadline: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=1, max=A_YEAR_S, help="Time limit of the run.")
    ] = None,
    max_steps: Annotated[int | None, typer.Option(min=1, max=1000, help="Limit of the engineer's model calls.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Limit of input and output tokens, all roles.")] = None,
    max_cost: Annotated[
        float | None, typer.Option(metavar="USD", min=0.0001, help="Limit of the cost of all model calls.")
    ] = None,
    max_unit_price_usd: Annotated[float | None, typer.Option(min=0.01, help="Replaces the benchmark's limit.")] = None,
    max_mass_kg: Annotated[float | None, typer.Option(min=0.001, help="Replaces the benchmark's limit.")] = None,
    max_parts: Annotated[int | None, typer.Option(min=1, help="Replaces the benchmark's limit.")] = None,
    executor: Annotated[Executor | None, typer.Option(help="How the engineer acts; default `code`.")] = None,
    continued: Annotated[
        str | None,
        typer.Option("--continue", metavar="RUN", help="Start with the files and the journal of a run that has ended."),
    ] = None,
    film: Annotated[bool, typer.Option(help="Film the approved design, which takes some seconds.")] = True,
    say: Annotated[str | None, typer.Option(metavar="TEXT", help="Instruction for the next attempt.")] = None,
    separate: Separate = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the delivery.")] = None,
) -> None:
    """Solve a benchmark, and write the delivered files into a folder."""
    settings = read_settings()
    place = RunPlace(settings, output_console(), out, separate=separate)
    limits = Limits(max_unit_price_usd=max_unit_price_usd, max_mass_kg=max_mass_kg, max_parts=max_parts)
    given = {"deadline_s": deadline, "max_steps": max_steps, "max_tokens": max_tokens, "max_cost_usd": max_cost}
    budget = {name: value for name, value in given.items() if value is not None}
    if continued is not None:
        if benchmark is not None or seed is not None:
            raise UserError("--continue keeps the earlier run's variant: leave out BENCHMARK and --seed")
        if not (say or "").strip():
            raise UserError('--continue needs an instruction for the next attempt: --say "use fewer legs"')
        continuation = ContinuationOptions(
            parse_run_id(continued), say or "", model, quantity, limits, budget, executor
        )
        run(continue_run(continuation, place))
    if benchmark is None or say is not None:
        raise UserError("name a BENCHMARK to solve, or continue a run with --continue RUN and --say TEXT")
    model = model or settings.millwright_model
    options = RunOptions(
        benchmark, seed or 0, model, quantity or 100, limits, budget_of(budget), executor or "code", film
    )
    run(solve_benchmark(options, place))
