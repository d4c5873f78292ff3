"""The connections of one service to the database."""

from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from store.migrate import check_version
from store.settings import DatabaseSettings

CONNECT_S = 10.0


class Database:
    """A resource: made without touching anything, started when the service starts, stopped when it stops."""

    def __init__(self, settings: DatabaseSettings) -> None:
        self.engine: AsyncEngine = create_async_engine(
            settings.asyncpg_url,
            pool_size=5,
            max_overflow=5,
            pool_pre_ping=True,  # a database that was restarted costs a ping, not a failed message
            connect_args={
                "server_settings": {"application_name": "millwright"},
                "timeout": min(CONNECT_S, settings.database_command_timeout_s),
                "command_timeout": settings.database_command_timeout_s,
            },
        )
        self._patience_s = settings.database_connect_timeout_s

    async def start(self) -> None:
        """Connect; raise a `StoreError` if this is not a database that this code speaks to.

        One that is away is waited for, up to `database_connect_timeout_s`.
        """
        await check_version(self.engine, self._patience_s)

    async def stop(self) -> None:
        """Close all connections."""
        await self.engine.dispose()
