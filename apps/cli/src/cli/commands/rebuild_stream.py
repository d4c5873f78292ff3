"""`millwright rebuild-stream`."""

import time
from contextlib import ExitStack

from local_stack.errors import UserError
from local_stack.migration import migrate_all
from local_stack.settings import CliSettings, read_settings
from local_stack.stream_recovery import rebuild_stream as rebuild
from rich.console import Console

from cli.admin_guard import require_admin
from cli.entry import OK, run
from cli.log_servers import log_servers
from cli.screen import screen


def rebuild_stream() -> None:
    """Make the lost stream of a NATS server anew from what Postgres has recorded.

    What is in flight goes on.
    """
    run(_rebuild_stream(read_settings(), screen()))


async def _rebuild_stream(surroundings: CliSettings, console: Console) -> int:
    begun_s = time.monotonic()
    require_admin("rebuild-stream", surroundings)
    with ExitStack() as leaving:
        servers = await log_servers(surroundings, leaving)
        if missing := {"NATS_URL", "DATABASE_URL"} - set(servers):
            raise UserError(f"{missing.pop()} is not set: both servers are needed, or none to use our own")
        await migrate_all({"DATABASE_URL": servers["DATABASE_URL"]})
        rebuilt = await rebuild(servers, lambda line: console.print(line, soft_wrap=True))
    console.print(
        f"rebuilt: {rebuilt.messages} messages of {rebuilt.runs} runs, from number {rebuilt.first_sequence} on, "
        f"in {time.monotonic() - begun_s:.1f} s; services go on by themselves",
        soft_wrap=True,
    )
    return OK
