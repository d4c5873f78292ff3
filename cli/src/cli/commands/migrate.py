"""`millwright migrate`."""

from rich.console import Console
from store.migrate import newest_version

from cli.archive import open_archive
from cli.running import OK, run
from cli.screen import screen
from cli.settings import Surroundings, read_surroundings


def migrate() -> None:
    """Bring the database's tables to the version of this code."""
    run(_migrate(read_surroundings(), screen()))


async def _migrate(surroundings: Surroundings, console: Console) -> int:
    async with open_archive(surroundings):
        console.print(f"the database is at version {newest_version()}")
    return OK
