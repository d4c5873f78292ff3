"""One connection that only finds out whether the database answers."""

from sqlalchemy import text

from store.outages import make_engine, open_connection
from store.settings import DatabaseSettings

PATIENCE_S = 5.0


class DatabaseProbe:
    """Has its own connection, so that it waits for no other query."""

    def __init__(self, settings: DatabaseSettings) -> None:
        limits = {"timeout": PATIENCE_S, "command_timeout": PATIENCE_S}
        self._engine = make_engine(settings, pool_size=1, max_overflow=0, connect=limits)

    async def ask(self) -> None:
        """Return when the database answers; raise `DatabaseOutageError`."""
        async with open_connection(self._engine) as connection:
            await connection.execute(text("SELECT 1"))

    async def close(self) -> None:
        """Disconnect."""
        await self._engine.dispose()
