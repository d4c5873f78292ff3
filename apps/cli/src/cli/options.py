"""Options that several commands share."""

import asyncio
from typing import Annotated
from uuid import UUID

import typer
from contracts.envelope import ROLES, Role
from contracts.settings import COMMAND
from local_stack.errors import UserError
from local_stack.settings import read_settings
from run_requests.short_ids import MIN_DIGITS, WHOLE, digits_of, find_run
from store.log import EventLog

from cli.log_access import open_database

Separate = Annotated[bool, typer.Option("--separate", help="Run every service as a process of its own.")]
Run = Annotated[
    str, typer.Argument(metavar="RUN", help=f"Id of the run, as `{COMMAND} runs` shows it, or a unique beginning.")
]
RoleName = Annotated[str, typer.Option("--role", metavar="ROLE", help=f"One of {', '.join(ROLES)}.")]


def parse_run_id(text: str) -> UUID:
    """Return the id of a run, of which a unique beginning may be given; raise `UserError` or `RunRequestError`."""
    digits = digits_of(text)
    if digits is None:
        raise UserError(
            f"{text!r} is not the id of a run, or at least {MIN_DIGITS} digits of its beginning: `{COMMAND} runs` "
            "lists them"
        )
    return UUID(digits) if len(digits) == WHOLE else asyncio.run(_recorded_run(digits))


async def _recorded_run(digits: str) -> UUID:
    async with open_database(read_settings()) as database:
        return await find_run(digits, EventLog(database.engine))


def parse_role(text: str) -> Role:
    """Return the role of this name."""
    for role in ROLES:
        if role == text:
            return role
    raise UserError(f"{text!r} is not a role: choose one of {', '.join(ROLES)}")
