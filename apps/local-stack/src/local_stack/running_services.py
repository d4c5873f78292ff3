"""Whether services use the servers: what replaces the whole database must not happen beside them."""

from pathlib import Path

from store.database import Database
from store.inspection import find_other_sessions

from local_stack.data_folder import is_locked, read_holder
from local_stack.errors import COMPOSE, UserError
from local_stack.settings import CliSettings


def require_stopped_stack(settings: CliSettings) -> None:
    """Raise `UserError` while a millwright runs servers in the data folder, unless the servers are elsewhere."""
    folder: Path = settings.millwright_data
    if settings.database_url is None and is_locked(folder):
        raise UserError(
            f"a millwright (process {read_holder(folder)}) runs in {folder}: stop it with `millwright down`"
        )


async def require_no_services(database: Database) -> None:
    """Raise `UserError` while others of Millwright have a connection to this database."""
    found = await find_other_sessions(database.engine)
    if found:
        raise UserError(
            f"services use the database ({', '.join(found)}): stop them first, and start them afterwards; in "
            f"containers: `{COMPOSE} stop`, but for the servers"
        )
