"""The connections of one service to the database."""

from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from store.migrate import check_version
from store.settings import DatabaseSettings


class Database:
    """A resource: made without touching anything, started when the service starts, stopped when it stops."""

    def __init__(self, settings: DatabaseSettings) -> None:
        self.engine: AsyncEngine = create_async_engine(
            settings.asyncpg_url,
            pool_size=5,
            max_overflow=5,
            pool_pre_ping=True,  # a database that was restarted costs a ping, not a failed message
            connect_args={"server_settings": {"application_name": "millwright"}, "timeout": 10},
        )

    async def start(self) -> None:
        """Connect; raise a `StoreError` if this is not a database that this code speaks to."""
        await check_version(self.engine)

    async def stop(self) -> None:
        """Close all connections."""
        await self.engine.dispose()
