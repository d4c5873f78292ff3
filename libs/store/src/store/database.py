"""The connection pool of a service."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from store.migrate import check_version
from store.outages import make_engine, open_connection
from store.settings import DatabaseSettings

CONNECT_TIMEOUT_S = 10.0
PROBE_S = 5.0


class Database:
    """A resource of an app: the engine exists from the start, `start` checks the database, `stop` disconnects."""

    def __init__(self, settings: DatabaseSettings) -> None:
        self.engine: AsyncEngine = make_engine(
            settings,
            pool_size=5,
            max_overflow=5,
            pool_pre_ping=True,  # after a restart of the database a ping fails, not a message
            connect={
                "server_settings": {"application_name": "millwright"},
                "timeout": min(CONNECT_TIMEOUT_S, settings.database_command_timeout_s),
                "command_timeout": settings.database_command_timeout_s,
            },
        )
        self._timeout_s = settings.database_connect_timeout_s

    async def start(self) -> None:
        """Check that the database has the schema version of this code; raise a `StoreError` if it does not.

        An outage is waited out for up to `database_connect_timeout_s`.
        """
        await check_version(self.engine, self._timeout_s)

    async def stop(self) -> None:
        """Close all connections."""
        await self.engine.dispose()


class DatabaseProbe:
    """Finds out whether the database answers. It has its own connection, so that it waits for no other query."""

    def __init__(self, settings: DatabaseSettings) -> None:
        limits = {"timeout": PROBE_S, "command_timeout": PROBE_S}
        self._engine = make_engine(settings, pool_size=1, max_overflow=0, connect=limits)

    async def ask(self) -> None:
        """Return when the database answers; raise `DatabaseOutageError`."""
        async with open_connection(self._engine) as connection:
            await connection.execute(text("SELECT 1"))

    async def close(self) -> None:
        """Disconnect."""
        await self._engine.dispose()
