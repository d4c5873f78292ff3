"""`millwright solve BENCHMARK`."""

from pathlib import Path
from typing import Annotated

import typer
from contracts.models.benchmark import Executor, Limits
from local_stack.errors import UserError
from local_stack.settings import read_settings

from cli.entry import run
from cli.runs.request import ContinuationOptions, RunOptions, budget_of
from cli.runs.solve import solve as solve_order
from cli.runs.solve import solve_again
from cli.screen import screen

from .options import Separate, run_id_of

A_YEAR_S = 31_536_000


def solve(  # noqa: PLR0913, PLR0917 - the options of the command
    benchmark: Annotated[str | None, typer.Argument(help="A built-in name, or a folder with benchmark.yaml.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Which world of the benchmark; 0 unless given.")] = None,
    model: Annotated[str | None, typer.Option(help="`offline`, `openai:NAME` or `anthropic:NAME`.")] = None,
    quantity: Annotated[
        int | None, typer.Option(min=1, help="How many machines are ordered; 100 unless given.")
    ] = None,
    deadline: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=1, max=A_YEAR_S, help="Time for the run.")
    ] = None,
    max_steps: Annotated[int | None, typer.Option(min=1, max=1000, help="Model calls of the engineer.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Of all models in the run, read and written.")] = None,
    max_cost: Annotated[float | None, typer.Option(metavar="USD", min=0.0001, help="Of all model calls.")] = None,
    max_unit_price_usd: Annotated[float | None, typer.Option(min=0.01, help="In place of the benchmark's.")] = None,
    max_mass_kg: Annotated[float | None, typer.Option(min=0.001, help="In place of the benchmark's.")] = None,
    max_parts: Annotated[int | None, typer.Option(min=1, help="In place of the benchmark's.")] = None,
    executor: Annotated[Executor | None, typer.Option(help="How the engineer acts; by `code` unless given.")] = None,
    continued: Annotated[
        str | None,
        typer.Option("--continue", metavar="RUN", help="Begin with the files and the journal of a run that has ended."),
    ] = None,
    say: Annotated[str | None, typer.Option(metavar="WORDS", help="What the next attempt is told.")] = None,
    separate: Separate = False,
    out: Annotated[Path | None, typer.Option(help="Folder for what is delivered.")] = None,
) -> None:
    """Have a benchmark solved, from request to verdict; what was made lies in a folder afterwards."""
    surroundings = read_settings()
    limits = Limits(max_unit_price_usd=max_unit_price_usd, max_mass_kg=max_mass_kg, max_parts=max_parts)
    asked = {"deadline_s": deadline, "max_steps": max_steps, "max_tokens": max_tokens, "max_cost_usd": max_cost}
    budget = {name: value for name, value in asked.items() if value is not None}
    if continued is not None:
        if benchmark is not None or seed is not None:
            raise UserError("--continue goes on in the same world: leave BENCHMARK and --seed out")
        if not (say or "").strip():
            raise UserError('say what the next attempt is to do: --say "use fewer legs"')
        sequel = ContinuationOptions(run_id_of(continued), say or "", model, quantity, limits, budget, executor)
        run(solve_again(sequel, out, surroundings, screen(), separate=separate))
    if benchmark is None or say is not None:
        raise UserError("name a BENCHMARK to solve; or --continue RUN and --say WORDS to go on from a run")
    model = model or surroundings.millwright_model
    order = RunOptions(benchmark, seed or 0, model, quantity or 100, limits, budget_of(budget), executor or "code")
    run(solve_order(order, out, surroundings, screen(), separate=separate))
