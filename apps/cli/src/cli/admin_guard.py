"""What only an admin may do on servers that know who is who."""

from urllib.parse import urlsplit

from contracts.publishers import SERVICES
from local_stack.containers import as_admin
from local_stack.errors import UserError
from local_stack.settings import CliSettings


def require_admin(command: str, surroundings: CliSettings) -> None:
    """Raise `CannotGoOnError` when a URL comes in as a service, such as `cli`: see `millwright permissions`."""
    for variable, url in (("NATS_URL", surroundings.nats_url), ("DATABASE_URL", surroundings.database_url)):
        user = urlsplit(url or "").username
        if user in SERVICES:
            raise UserError(
                f"`millwright {command}` needs the admin's rights, and {variable} comes in as {user}; "
                f"{as_admin('' if command == 'migrate' else command)}"
            )
