"""Sessions of browsers that were ended before their time: who signed out stays signed out, in all gateways."""

from collections.abc import Mapping
from datetime import UTC, datetime

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from store.outages import open_connection, open_transaction
from store.tables import EndedSessionRow


class EndedSessions:
    """Reads and writes them; those whose time is over are forgotten."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def add(self, session_id: str, expires_at: datetime) -> None:
        """Store that a session has ended, which would have lasted until then."""
        row = insert(EndedSessionRow).values(id=session_id, expires_at=expires_at).on_conflict_do_nothing()
        async with open_transaction(self._engine) as connection:
            await connection.execute(delete(EndedSessionRow).where(EndedSessionRow.expires_at < datetime.now(UTC)))
            await connection.execute(row)

    async def all(self) -> Mapping[str, datetime]:
        """Return when each would have expired, by id."""
        query = select(EndedSessionRow.id, EndedSessionRow.expires_at)
        async with open_connection(self._engine) as connection:
            return {row.id: row.expires_at for row in await connection.execute(query)}
