"""Options that several commands share."""

from typing import Annotated
from uuid import UUID

import typer
from contracts.envelope import Role
from contracts.publishers import ROLES
from contracts.settings import COMMAND
from local_stack.errors import UserError

Separate = Annotated[bool, typer.Option("--separate", help="Run every service as a process of its own.")]
Run = Annotated[str, typer.Argument(metavar="RUN", help=f"Id of the run, as `{COMMAND} runs` shows it.")]
RoleName = Annotated[str, typer.Option("--role", metavar="ROLE", help=f"One of {', '.join(ROLES)}.")]


def parse_run_id(text: str) -> UUID:
    """Return the id of a run."""
    try:
        return UUID(text)
    except ValueError as error:
        raise UserError(f"{text!r} is not the id of a run: `{COMMAND} runs` lists them") from error


def parse_role(text: str) -> Role:
    """Return the role of this name."""
    for role in ROLES:
        if role == text:
            return role
    raise UserError(f"{text!r} is not a role: choose one of {', '.join(ROLES)}")
