"""Whether servers run in the data folder: what replaces the whole database must not happen beside them."""

from pathlib import Path

from local_stack.data_folder import is_locked, read_holder
from local_stack.errors import UserError
from local_stack.settings import CliSettings


def require_stopped_stack(settings: CliSettings) -> None:
    """Raise `UserError` while a millwright runs servers in the data folder, unless the servers are elsewhere."""
    folder: Path = settings.millwright_data
    if settings.database_url is None and is_locked(folder):
        raise UserError(
            f"a millwright (process {read_holder(folder)}) runs in {folder}: stop it with `millwright down`"
        )
