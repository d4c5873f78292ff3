"""From a coroutine to an exit code: signals, and errors that are for the user."""

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine
from typing import NoReturn

import typer
from benchmarks.loader import BenchmarkError
from local_stack.errors import UserError
from rich.text import Text

from cli.screen import complaints
from cli.text import one_line

OK, FAILED, CANNOT_GO_ON, INTERRUPTED = 0, 1, 2, 130
REASON_CHARS = 2000
USER_ERRORS = (UserError, BenchmarkError)
"""What is wrong with a user's input or machine: each is one line that names the thing and the fix."""


def run(work: Coroutine[None, None, int]) -> NoReturn:
    """Run a command to its exit code.

    The first Ctrl-C or SIGTERM cancels the work, which then cleans up. The second one ends us at once; the kernel takes
    our children along.
    """
    try:
        code = asyncio.run(_until_done(work))
    except USER_ERRORS as error:
        code = refuse(error)
    raise typer.Exit(code)


def refuse(error: Exception) -> int:
    """Tell the user, in one line, and return the exit code."""
    complaints().print(Text(f"millwright: {one_line(str(error), REASON_CHARS)}", style="bold red"), soft_wrap=True)
    return CANNOT_GO_ON


async def _until_done(work: Coroutine[None, None, int]) -> int:
    task = asyncio.create_task(work)
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        if task.cancelling():
            sys.stderr.write("\n")
            os._exit(INTERRUPTED)
        task.cancel()

    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, interrupt)
    try:
        return await task
    except asyncio.CancelledError:
        return INTERRUPTED
