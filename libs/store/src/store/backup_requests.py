"""Requests of backups: the gateway stores them, and `millwright backup serve` makes the backups."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from contracts.model import Model
from pydantic import AwareDatetime
from sqlalchemy import RowMapping, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from store.errors import BackupInProgressError
from store.outages import open_connection, open_transaction
from store.tables import BackupRequestRow

BackupState = Literal["requested", "running", "made", "failed"]
PROBLEM_CHARS = 2000
LOCK = 0x6261636B
"""Key of the advisory lock ("back")."""
INTERRUPTED = "whatever made it ended before the backup was complete: request another one"


class BackupRequest(Model):
    """A request, and what came of it."""

    id: UUID
    state: BackupState
    requested_at: AwareDatetime
    started_at: AwareDatetime | None = None
    ended_at: AwareDatetime | None = None
    name: str | None = None
    """Of the backup, once it is made."""
    problem: str | None = None
    """Why it failed, or what of the recorded artifacts it lacks."""


class BackupRequests:
    """Reads and writes them. At most one is open: a backup that is still to come serves everyone who asks for one."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def request(self, request_id: UUID) -> BackupRequest:
        """Store a request; return it, or the one that waits already."""
        async with open_transaction(self._engine) as connection:
            await connection.execute(insert(BackupRequestRow).values(id=request_id).on_conflict_do_nothing())
            open_one = select(BackupRequestRow.__table__).where(BackupRequestRow.state == "requested")
            own = select(BackupRequestRow.__table__).where(BackupRequestRow.id == request_id)
            for query in (own, open_one):
                if (row := (await connection.execute(query)).mappings().first()) is not None:
                    return _request(row)
        return await self.request(request_id)  # the one that waited was taken meanwhile

    async def find(self, request_id: UUID) -> BackupRequest | None:
        """Return a request."""
        query = select(BackupRequestRow.__table__).where(BackupRequestRow.id == request_id)
        async with open_connection(self._engine) as connection:
            row = (await connection.execute(query)).mappings().first()
        return None if row is None else _request(row)

    async def take(self) -> BackupRequest | None:
        """Return the request that waits, which runs from now on; None if there is none."""
        taken = (
            update(BackupRequestRow)
            .where(BackupRequestRow.state == "requested")
            .values(state="running", started_at=datetime.now(UTC))
            .returning(*BackupRequestRow.__table__.columns)
        )
        async with open_transaction(self._engine) as connection:
            row = (await connection.execute(taken)).mappings().first()
        return None if row is None else _request(row)

    async def finish(self, request_id: UUID, *, name: str | None = None, problem: str | None = None) -> None:
        """Store the name of the backup that was made, and its problem, or why there is none."""
        values = {
            "state": "failed" if name is None else "made",
            "ended_at": datetime.now(UTC),
            "name": name,
            "problem": None if problem is None else problem[:PROBLEM_CHARS],
        }
        async with open_transaction(self._engine) as connection:
            await connection.execute(update(BackupRequestRow).where(BackupRequestRow.id == request_id).values(values))

    async def fail_interrupted(self) -> None:
        """Store that what ran has failed; for the one process that makes backups, at its start."""
        values = {"state": "failed", "ended_at": datetime.now(UTC), "problem": INTERRUPTED}
        async with open_transaction(self._engine) as connection:
            await connection.execute(update(BackupRequestRow).where(BackupRequestRow.state == "running").values(values))


@asynccontextmanager
async def backup_lock(engine: AsyncEngine) -> AsyncGenerator[None]:
    """Let no other process make or remove backups of this database; raise `BackupInProgressError` if one does."""
    async with open_connection(engine) as connection:
        if not await connection.scalar(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": LOCK}):
            raise BackupInProgressError
        await connection.commit()
        try:
            yield
        finally:
            with suppress(DBAPIError):  # a connection that was lost has lost the lock
                await connection.scalar(text("SELECT pg_advisory_unlock(:lock)"), {"lock": LOCK})


def _request(row: RowMapping) -> BackupRequest:
    return BackupRequest.model_validate(dict(row))
