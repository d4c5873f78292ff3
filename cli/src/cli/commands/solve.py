"""`millwright solve BENCHMARK`."""

from pathlib import Path
from typing import Annotated

import typer
from contracts.benchmark import Limits

from cli.requesting import Order
from cli.running import run
from cli.screen import screen
from cli.settings import read_surroundings
from cli.solving import solve as solve_order

from .options import Separate, budget_of

A_YEAR_S = 31_536_000


def solve(  # noqa: PLR0913, PLR0917 - the options of the command
    benchmark: Annotated[str, typer.Argument(help="A built-in name, or a folder with benchmark.yaml.")],
    seed: Annotated[int, typer.Option(min=0, help="Which world of the benchmark.")] = 0,
    model: Annotated[str | None, typer.Option(help="`offline`, `openai:NAME` or `anthropic:NAME`.")] = None,
    quantity: Annotated[int, typer.Option(min=1, help="How many machines will be ordered.")] = 100,
    deadline: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=1, max=A_YEAR_S, help="Time for the run.")
    ] = None,
    max_steps: Annotated[int | None, typer.Option(min=1, max=1000, help="Model calls of the engineer.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Of all models in the run, read and written.")] = None,
    max_cost: Annotated[float | None, typer.Option(metavar="USD", min=0.0001, help="Of all model calls.")] = None,
    max_unit_price_usd: Annotated[float | None, typer.Option(min=0.01, help="In place of the benchmark's.")] = None,
    max_mass_kg: Annotated[float | None, typer.Option(min=0.001, help="In place of the benchmark's.")] = None,
    max_parts: Annotated[int | None, typer.Option(min=1, help="In place of the benchmark's.")] = None,
    separate: Separate = False,
    out: Annotated[Path | None, typer.Option(help="Folder for what is delivered.")] = None,
) -> None:
    """Have a benchmark solved, from request to verdict; what was made lies in a folder afterwards."""
    surroundings = read_surroundings()
    limits = Limits(max_unit_price_usd=max_unit_price_usd, max_mass_kg=max_mass_kg, max_parts=max_parts)
    budget = budget_of(deadline_s=deadline, max_steps=max_steps, max_tokens=max_tokens, max_cost_usd=max_cost)
    order = Order(benchmark, seed, model or surroundings.millwright_model, quantity, limits, budget)
    run(solve_order(order, out, surroundings, screen(), separate=separate))
