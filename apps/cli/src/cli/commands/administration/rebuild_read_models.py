"""`millwright rebuild-read-models`."""

import time
from contextlib import ExitStack

from local_stack.errors import UserError
from local_stack.migration import migrate_all
from local_stack.migration import rebuild_read_models as rebuild
from local_stack.settings import CliSettings, read_settings
from rich.console import Console

from cli.administration import log_servers, require_admin
from cli.entry import OK, run
from cli.screen import output_console


def rebuild_read_models() -> None:
    """Make the tables about runs from the event log again, and compare them with what they were.

    The recorder waits meanwhile; what it is to record waits in the stream.
    """
    run(_rebuild_read_models(read_settings(), output_console()))


async def _rebuild_read_models(settings: CliSettings, console: Console) -> int:
    begun_s = time.monotonic()
    require_admin("rebuild-read-models", settings)
    with ExitStack() as cleanup:
        servers = await log_servers(settings, cleanup)
        if "DATABASE_URL" not in servers:
            raise UserError("DATABASE_URL is not set: set it to use an external server, or neither to use local ones")
        own = {"DATABASE_URL": servers["DATABASE_URL"]}
        await migrate_all(own)
        rebuilt = await rebuild(own)
    for name, (before, after) in rebuilt.tables.items():
        console.print(f"{name}: {after}" + ("" if before == after else f"; it was {before}"), soft_wrap=True)
    unreadable = f", {rebuilt.unreadable} of which this version cannot read" if rebuilt.unreadable else ""
    console.print(f"rebuilt from {rebuilt.events} events{unreadable}, in {time.monotonic() - begun_s:.1f} s")
    return OK
