"""`millwright down`."""

import os
import signal
import time

from contracts.settings import COMMAND
from local_stack.data_folder import is_locked, read_holder
from local_stack.errors import UserError
from local_stack.settings import read_settings

from cli.screen import output_console

STOP_S = 60.0
POLL_S = 0.1


def down() -> None:
    """Stop the millwright that runs the servers of the data folder; its runs go on with the next `up`."""
    settings, console = read_settings(), output_console()
    if settings.external_servers() is not None:
        raise UserError("the servers are elsewhere (NATS_URL): stop them where they run")
    folder = settings.millwright_data
    if not is_locked(folder):
        console.print(f"nothing runs in {folder}", soft_wrap=True)
        return
    holder = read_holder(folder)
    if holder is None:
        raise UserError(f"a {COMMAND} runs in {folder}, but its process is not known: `fuser {folder}/servers.lock`")
    os.kill(holder, signal.SIGTERM)
    deadline = time.monotonic() + STOP_S
    while is_locked(folder):
        if time.monotonic() > deadline:
            raise UserError(f"process {holder} has not stopped within {STOP_S:g} s: `kill {holder}` once more ends it")
        time.sleep(POLL_S)
    console.print(f"stopped; the data stays in {folder}", soft_wrap=True)
