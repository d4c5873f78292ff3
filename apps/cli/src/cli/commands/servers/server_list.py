"""`millwright servers list`, and how the registry is reached."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from chassis.servers.access import open_registry
from chassis.servers.registry import RegisteredServer, ServerRegistry
from chassis.settings import BusSettings
from contracts.settings import COMMAND
from local_stack.data_folder import read_state
from local_stack.errors import START_HINT, UserError
from local_stack.server_access import as_user_errors, settings_from
from local_stack.settings import CliSettings, read_settings
from rich.console import Console
from rich.table import Table

from cli.entry import OK, run
from cli.screen import output_console


def list_() -> None:
    """List the servers whose announcement holds, with kind, model, calls in progress and what remains of its time."""
    run(_list(read_settings(), output_console()))


async def _list(settings: CliSettings, console: Console) -> int:
    async with registry_of(settings) as registry:
        found = await registry.read()
    if not found:
        console.print("no server is announced")
        return OK
    console.print(_table(found))
    return OK


@asynccontextmanager
async def registry_of(settings: CliSettings) -> AsyncGenerator[ServerRegistry]:
    """Open the registry of the external NATS server, or of the local one that runs; raise `UserError`."""
    state = read_state(settings.millwright_data)
    url = settings.nats_url or (state and state.environment["NATS_URL"])
    if not url:
        raise UserError(f"no NATS server is named and none runs here: set NATS_URL, or `{COMMAND} up` ({START_HINT})")
    with as_user_errors():
        async with open_registry(settings_from(BusSettings, {"NATS_URL": url})) as registry:
            yield registry


def _table(found: Sequence[RegisteredServer]) -> Table:
    now = datetime.now(UTC)
    table = Table("kind", "address", "model", "calls", "holds for", box=None)
    for each in found:
        server, left_s = each.server, (each.expires_at - now).total_seconds()
        table.add_row(server.kind, server.url, server.model or "", str(server.busy), f"{left_s:.0f} s")
    return table
