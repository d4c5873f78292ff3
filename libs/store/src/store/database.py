"""The connection pool of a service."""

from sqlalchemy.ext.asyncio import AsyncEngine

from store.migrate import check_version
from store.outages import APPLICATION, make_engine
from store.settings import DatabaseSettings

CONNECT_TIMEOUT_S = 10.0


class Database:
    """A resource of an app: the engine exists from the start, `start` checks the database, `stop` disconnects."""

    connections = 10
    """The most that are open at once; half of them stay open."""

    def __init__(self, settings: DatabaseSettings) -> None:
        self.engine: AsyncEngine = make_engine(
            settings,
            pool_size=self.connections // 2,
            max_overflow=self.connections // 2,
            pool_pre_ping=True,  # after a restart of the database a ping fails, not a message
            connect={
                "server_settings": {"application_name": APPLICATION},
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


class RequiredSchema:
    """A resource of an app that uses the database in its own way: starts only on the schema version of this code."""

    def __init__(self, settings: DatabaseSettings) -> None:
        self._settings = settings

    async def start(self) -> None:
        """As `Database.start`."""
        database = Database(self._settings)
        try:
            await database.start()
        finally:
            await database.stop()

    async def stop(self) -> None:
        """Nothing is open."""
