"""Recovery of a data folder whose passwords or database are lost. Only an explicit command does so."""

import os
from pathlib import Path

from contracts.settings import COMMAND

from local_stack.data_folder import LOCK, acquire_lock, create_private, write_private
from local_stack.errors import UserError
from local_stack.servers.postgres import Postgres
from local_stack.servers.postgres_home import prepare_home
from local_stack.servers.secrets import SECRETS, Secrets, read_secrets
from local_stack.servers.stack_records import DATA, record_stack, stack_records


def recover(folder: Path) -> list[str]:
    """Give a data folder new passwords if its own are lost, and let an empty database be made if its own is lost.

    Returns a line for each thing that was lost. Raises `UserError`, also while the stack runs.
    """
    folder = folder.resolve()
    if not any((folder / each).exists() for each in (SECRETS, LOCK, *DATA)):
        raise UserError(f"{folder} has no data of a stack: there is nothing to recover")
    lock = acquire_lock(create_private(folder))
    try:
        return _recover(folder)
    finally:
        os.close(lock)


def _recover(folder: Path) -> list[str]:
    lost: list[str] = []
    secrets = _stored(folder / SECRETS)
    if secrets is None:
        secrets = Secrets(stack=_recorded_stack(folder) or Secrets().stack)
        lost.append("the passwords were lost: new ones are made")
    record_stack(folder, secrets.stack)
    home = prepare_home(folder, secrets.stack)
    postgres = Postgres(home, 0, secrets.postgres_password, folder / "logs" / "postgres.log")
    if postgres.exists():
        postgres.set_password()
    elif secrets.has_database or lost:
        lost.append(
            f"the database in {home.folder} is lost: the next start makes an empty one; then see `{COMMAND} backup "
            f"restore`, and `{COMMAND} migrate` for what the stream still has"
        )
    kept = secrets.model_copy(update={"has_database": postgres.exists()})
    write_private(folder / SECRETS, kept.model_dump_json())
    return lost


def _stored(file: Path) -> Secrets | None:
    try:
        return read_secrets(file)
    except (FileNotFoundError, UserError):
        return None


def _recorded_stack(folder: Path) -> str | None:
    """Return the stack that was in this folder; raise `UserError` if there were several."""
    found = [each.stack for each in stack_records() if each.folder == folder]
    if len(found) > 1:
        raise UserError(
            f"{len(found)} stacks were in {folder} ({', '.join(found)}): `{COMMAND} stack remove` those that are not "
            "wanted, then recover the last one"
        )
    return found[0] if found else None
