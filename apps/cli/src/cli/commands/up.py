"""`millwright up`."""

import asyncio
import contextlib

from local_stack.settings import CliSettings, read_settings
from local_stack.stack import StackOptions, open_stack
from rich.console import Console

from cli.entry import OK, run
from cli.screen import saying, screen

from .options import Separate


def up(separate: Separate = False) -> None:
    """Run servers and services until Ctrl-C; other commands of this machine join them."""
    run(_up(read_settings(), screen(), separate=separate))


async def _up(surroundings: CliSettings, console: Console, *, separate: bool) -> int:
    console.print("starting servers and services …")
    wish = StackOptions(surroundings, separate=separate, long_running=True, report=saying(console))
    async with open_stack(wish) as stack:
        await asyncio.to_thread(stack.supervisor.wait_until_ready)
        console.print(f"ready; data and logs in {surroundings.millwright_data}, Ctrl-C ends it", soft_wrap=True)
        with contextlib.suppress(asyncio.CancelledError):  # Ctrl-C is how it is meant to end
            await asyncio.wait((stack.failure,))
        if stack.failure.done():
            stack.failure.result()
        console.print("stopping …")
    return OK
