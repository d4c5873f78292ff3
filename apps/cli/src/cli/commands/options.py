"""Options that several commands share."""

from typing import Annotated
from uuid import UUID

import typer
from local_stack.errors import UserError

Separate = Annotated[bool, typer.Option("--separate", help="Run every service as a process of its own.")]
Run = Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, as `millwright runs` shows it.")]


def run_id_of(text: str) -> UUID:
    """Return the id of a run."""
    try:
        return UUID(text)
    except ValueError as error:
        raise UserError(f"{text!r} is no run: `millwright runs` lists their ids") from error
