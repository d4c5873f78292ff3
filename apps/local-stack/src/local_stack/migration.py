"""The database's tables and the stream, brought to what this code needs. Nobody but the command does so."""

from collections.abc import Mapping

from chassis.settings import BusSettings
from chassis.stream.provisioning import provision
from store.migrate import migrate, newest_version
from store.settings import DatabaseSettings

from local_stack.readiness import as_user_errors
from local_stack.server_settings import settings_from
from local_stack.stream_recovery import require_no_loss


async def migrate_all(environment: Mapping[str, str]) -> list[str]:
    """Migrate the database and provide the stream of the servers named here; return, in words, what is so now.

    A variable that is not given is left alone. Raises `CannotGoOnError`.
    """
    said: list[str] = []
    with as_user_errors():
        if "DATABASE_URL" in environment:
            await migrate(settings_from(DatabaseSettings, environment))
            said.append(f"the database is at version {newest_version()}")
        if "NATS_URL" in environment:
            said += await _provide_stream(environment)
    return said


async def _provide_stream(environment: Mapping[str, str]) -> list[str]:
    if "DATABASE_URL" in environment:
        await require_no_loss(environment)
    return await provision(settings_from(BusSettings, environment)) or ["the stream is as it must be"]
