"""`millwright rebuild-stream`."""

import time
from contextlib import ExitStack
from typing import Annotated

import typer
from local_stack.errors import UserError
from local_stack.migration import migrate_all
from local_stack.migration import rebuild_stream as rebuild
from local_stack.settings import CliSettings, read_settings
from rich.console import Console

from cli.administration import log_servers, require_admin
from cli.entry import OK, run
from cli.screen import output_console


def rebuild_stream(
    replace: Annotated[
        bool, typer.Option("--replace", help="Delete the messages that the stream still holds.")
    ] = False,
) -> None:
    """Restore the lost stream of a NATS server from what Postgres has recorded.

    Runs in flight continue.
    """
    run(_rebuild_stream(read_settings(), output_console(), replaces=replace))


async def _rebuild_stream(settings: CliSettings, console: Console, *, replaces: bool) -> int:
    begun_s = time.monotonic()
    require_admin("rebuild-stream", settings)
    with ExitStack() as cleanup:
        servers = await log_servers(settings, cleanup)
        if missing := {"NATS_URL", "DATABASE_URL"} - set(servers):
            raise UserError(f"{missing.pop()} is not set: set both to use external servers, or none to use local ones")
        await migrate_all({"DATABASE_URL": servers["DATABASE_URL"]})
        rebuilt = await rebuild(servers, lambda line: console.print(line, soft_wrap=True), replaces=replaces)
    console.print(
        f"rebuilt: {rebuilt.messages} messages of {rebuilt.runs} runs, from number {rebuilt.first_sequence} on, "
        f"in {time.monotonic() - begun_s:.1f} s; services resume by themselves",
        soft_wrap=True,
    )
    return OK
