"""Options that several commands share."""

import math
from typing import Annotated
from uuid import UUID

import typer
from contracts.benchmark import Budget

from cli.errors import CannotGoOnError

Separate = Annotated[bool, typer.Option("--separate", help="Run every service as a process of its own.")]
Run = Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, as `millwright runs` shows it.")]


def budget_of(**given: float | None) -> Budget:
    """Return a run's budget; what is not given has its default."""
    for name, limit in given.items():
        if limit is not None and not math.isfinite(limit):
            raise CannotGoOnError(f"{name} must be a number, not {limit}")
    return Budget.model_validate({name: limit for name, limit in given.items() if limit is not None})


def run_id_of(text: str) -> UUID:
    """Return the id of a run."""
    try:
        return UUID(text)
    except ValueError as error:
        raise CannotGoOnError(f"{text!r} is no run: `millwright runs` lists their ids") from error
