"""`millwright up`."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from backups.backup import KEPT
from chassis.background_tasks import cancel_and_wait
from local_stack.gateway_access import token_hint
from local_stack.settings import CliSettings, read_settings
from local_stack.stack import StackOptions, open_stack
from rich.console import Console

from cli.commands.backup import EVERY_S, serve_requests
from cli.entry import OK, run
from cli.options import Separate
from cli.page_links import print_pages
from cli.screen import line_printer, output_console, print_mark

RETRY_S = 60.0
"""Until requests of backups are looked for again, after a failure other than of one backup."""


def up(separate: Separate = False) -> None:
    """Run servers and services until Ctrl-C; other commands on this machine use them."""
    run(_up(read_settings(), output_console(), separate=separate))


async def _up(settings: CliSettings, console: Console, *, separate: bool) -> int:
    console.print("starting servers and services …")
    options = StackOptions(settings, separate=separate, long_running=True, report=line_printer(console))
    async with open_stack(options) as stack:
        await asyncio.to_thread(stack.supervisor.wait_until_ready)
        console.print(f"ready; data and logs in {settings.millwright_data}, Ctrl-C to stop", soft_wrap=True)
        if stack.api_url is not None:
            console.print(f"API at {stack.api_url}, {token_hint(settings.millwright_data)}", soft_wrap=True)
            print_pages(console, settings.millwright_data, stack.api_url)
        with contextlib.suppress(asyncio.CancelledError):  # Ctrl-C is the regular end
            async with backups_made(settings, console):
                await asyncio.wait((stack.failure,))
        if stack.failure.done():
            stack.failure.result()
        console.print("stopping …")
    return OK


@asynccontextmanager
async def backups_made(settings: CliSettings, console: Console) -> AsyncGenerator[None]:
    """Make the backups that the API requests, unless the servers are elsewhere: then `millwright backup serve` does."""
    if settings.database_url is not None or settings.nats_url is not None:
        yield
        return
    making = asyncio.create_task(_make_backups(settings, console), name="makes backups")
    try:
        yield
    finally:
        await cancel_and_wait(making)


async def _make_backups(settings: CliSettings, console: Console) -> None:
    """Make what is requested, whatever fails: the services of this process go on."""
    while True:
        (error,) = await asyncio.gather(serve_requests(None, KEPT, EVERY_S, settings, console), return_exceptions=True)
        print_mark(console, "failure", f"requests of backups wait: {error}")
        await asyncio.sleep(RETRY_S)
