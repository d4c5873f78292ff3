"""Telling a database that is away from everything else that can be wrong with a query."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

from asyncpg import PostgresError  # pyright: ignore[reportMissingTypeStubs] - asyncpg ships none
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from store.errors import DatabaseAwayError

AWAY_STATES = ("08", "53", "57P", "58", "25006")
"""How SQLSTATEs begin that pass: connections, resources (memory, disk, too many clients), shutdowns and starts, the
server's own input and output, and a standby that is not promoted yet."""


@asynccontextmanager
async def reading(engine: AsyncEngine) -> AsyncGenerator[AsyncConnection]:
    """Open a connection for looking; raises `DatabaseAwayError` when the database is away."""
    with telling_outages():
        async with engine.connect() as connection:
            yield connection


@asynccontextmanager
async def writing(engine: AsyncEngine) -> AsyncGenerator[AsyncConnection]:
    """Open a transaction, committed at the end of the block; raises `DatabaseAwayError` when the database is away."""
    with telling_outages():
        async with engine.begin() as connection:
            yield connection


@contextmanager
def telling_outages() -> Generator[None]:
    """Raise `DatabaseAwayError` in place of whatever says inside the block that the database is away."""
    try:
        yield
    except (OSError, PostgresError, DBAPIError) as error:
        if not is_away(error):
            raise
        raise DatabaseAwayError(cause_of(error)) from error


def is_away(error: Exception) -> bool:
    """Tell whether the same work may succeed later, without anybody changing it."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or is_away(error.driver_exception or Exception())
    return isinstance(error, OSError) or str(getattr(error, "sqlstate", "")).startswith(AWAY_STATES)


def cause_of(error: Exception) -> Exception:
    """Return what SQLAlchemy has wrapped."""
    return error.orig if isinstance(error, DBAPIError) and isinstance(error.orig, Exception) else error
