"""`millwright up`."""

import asyncio
import contextlib
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from agent.model.role_model import model_problem
from agent.settings import ModelSettings
from backups.backup import KEPT
from chassis.background_tasks import cancel_and_wait
from local_stack.errors import UserError
from local_stack.gateway_access import token_hint
from local_stack.settings import CliSettings, read_settings
from local_stack.stack import StackOptions, open_stack
from rich.console import Console

from cli.backup_access import open_backups
from cli.commands.backup import EVERY_S, serve_requests
from cli.entry import OK, run
from cli.options import Separate
from cli.page_links import print_pages
from cli.screen import line_printer, output_console, print_mark

PROBE = "probe"
KEY = re.compile(r"[\x21\x23-\x26\x28-\x5f\x61-\x7e]+")
"""Printable ASCII without spaces and quotes."""
RETRY_S = 60.0
"""Until requests of backups are looked for again, after a failure other than of one backup."""


def up(separate: Separate = False) -> None:
    """Run servers and services until Ctrl-C; other commands on this machine use them."""
    run(_up(read_settings(), output_console(), separate=separate))


async def _up(settings: CliSettings, console: Console, *, separate: bool) -> int:
    require_usable_models(settings)
    console.print("starting servers and services …")
    options = StackOptions(settings, separate=separate, long_running=True, report=line_printer(console))
    async with open_stack(options) as stack:
        await asyncio.to_thread(stack.supervisor.wait_until_ready)
        await prove_backups(settings)
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


def require_usable_models(settings: CliSettings) -> None:
    """Raise `UserError` if the default model has no key, or a key that is set cannot be one."""
    models = ModelSettings()
    for name, key in (("OPENAI_API_KEY", models.openai_api_key), ("ANTHROPIC_API_KEY", models.anthropic_api_key)):
        if key is not None and not KEY.fullmatch(key.get_secret_value()):
            raise UserError(f"{name} cannot be a key: it has quotes, spaces or other letters than a key; set it again")
    problem = None if settings.services_elsewhere else model_problem(settings.millwright_model)
    if problem is not None:
        raise UserError(f"MILLWRIGHT_MODEL={settings.millwright_model}: {problem}")


async def prove_backups(settings: CliSettings) -> None:
    """Write and remove a file where backups go; raise `UserError` if that fails. Servers elsewhere have their own."""
    if settings.database_url is not None and settings.millwright_backups is None:
        return
    try:
        async with open_backups(None, settings, writes=True) as backups:
            with TemporaryDirectory(prefix="millwright-") as folder:
                file = Path(folder) / "probe"
                file.write_bytes(b"probe")
                await backups.objects.put(PROBE, file)
            await backups.objects.delete([PROBE])
    except (OSError, UserError) as error:
        raise UserError(f"backups cannot be kept where MILLWRIGHT_BACKUPS says: {error}") from error


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
