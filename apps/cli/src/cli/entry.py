"""From a coroutine to an exit code: signals, and errors for the user."""

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine
from typing import NoReturn

import typer
from benchmarks.loader import BenchmarkError
from chassis.background_tasks import cancel_all_others
from chassis.errors import FutureVersionError
from contracts.extensions import ExtensionError
from contracts.settings import COMMAND
from contracts.text import one_line
from local_stack.errors import UserError
from rich.text import Text
from run_requests.errors import RunRequestError

from cli.screen import error_console

OK, FAILED, INVALID, INTERRUPTED = 0, 1, 2, 130
ERROR_CHARS = 2000
USER_ERRORS = (UserError, BenchmarkError, RunRequestError, FutureVersionError, ExtensionError)
"""Problems of a user's input or machine: one line each that names the thing and the fix."""


def run(work: Coroutine[None, None, int]) -> NoReturn:
    """Run a command to its exit code.

    The first Ctrl-C or SIGTERM cancels the work, which then cleans up. The second one ends this process at once, and
    with it its children.
    """
    try:
        code = asyncio.run(_until_done(work))
    except USER_ERRORS as error:
        code = print_error(error)
    raise typer.Exit(code)


def print_error(error: Exception) -> int:
    """Print the error in one line, and return the exit code."""
    error_console().print(Text(f"{COMMAND}: {one_line(str(error), ERROR_CHARS)}", style="bold red"), soft_wrap=True)
    return INVALID


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
    finally:
        await cancel_all_others()
