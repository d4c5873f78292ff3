"""Database users of the services, on one machine as in containers: none of them is the superuser."""

from collections.abc import Mapping

from agent.loop.checkpoints import CheckpointsUnavailableError, set_up_checkpoints
from store.settings import DatabaseSettings
from store.users import CATALOG_READER, WRITABLE_SCHEMAS, provision_users, url_of

from local_stack.errors import UserError


async def provision_database_users(settings: DatabaseSettings, passwords: Mapping[str, str]) -> list[str]:
    """Create the users, and LangGraph's tables first, so that they belong to the admin and to no service."""
    try:
        await set_up_checkpoints(settings.database_url)
    except CheckpointsUnavailableError as error:
        raise UserError(str(error)) from error
    return await provision_users(settings, passwords)


def with_own_login(environment: Mapping[str, str], service: str, passwords: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a service: without passwords, those of the servers' owner; else with its own user.

    A service that does not use the database gets no address of it.
    """
    if not passwords:
        return dict(environment)
    own = {name: value for name, value in environment.items() if name != "DATABASE_URL"}
    if service in WRITABLE_SCHEMAS:
        own["DATABASE_URL"] = url_of(service, passwords[service], environment["DATABASE_URL"])
    if service == "catalog":
        own["CATALOG_DATABASE_URL"] = url_of(CATALOG_READER, passwords[CATALOG_READER], environment["DATABASE_URL"])
    return own
