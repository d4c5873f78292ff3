"""Telling a database that is away from everything else that can be wrong with a query."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

from asyncpg import PostgresError  # pyright: ignore[reportMissingTypeStubs] - asyncpg ships none
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from store.errors import DatabaseOutageError

AWAY_STATES = ("08", "53", "57P", "58", "25006")
"""How SQLSTATEs begin that pass: connections, resources (memory, disk, too many clients), shutdowns and starts, the
server's own input and output, and a standby that is not promoted yet."""


@asynccontextmanager
async def open_connection(engine: AsyncEngine) -> AsyncGenerator[AsyncConnection]:
    """Open a connection for looking; raises `DatabaseAwayError` when the database is away."""
    with raising_outages():
        async with engine.connect() as connection:
            yield connection


@asynccontextmanager
async def open_transaction(engine: AsyncEngine) -> AsyncGenerator[AsyncConnection]:
    """Open a transaction, committed at the end of the block; raises `DatabaseAwayError` when the database is away."""
    with raising_outages():
        async with engine.begin() as connection:
            yield connection


@contextmanager
def raising_outages() -> Generator[None]:
    """Raise `DatabaseAwayError` in place of whatever says inside the block that the database is away."""
    try:
        yield
    except (OSError, PostgresError, DBAPIError) as error:
        if not is_outage(error):
            raise
        raise DatabaseOutageError(driver_error(error)) from error


def is_outage(error: Exception) -> bool:
    """Tell whether the same work may succeed later, without anybody changing it."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or is_outage(error.driver_exception or Exception())
    return isinstance(error, OSError) or str(getattr(error, "sqlstate", "")).startswith(AWAY_STATES)


def driver_error(error: Exception) -> Exception:
    """Return what SQLAlchemy has wrapped."""
    return error.orig if isinstance(error, DBAPIError) and isinstance(error.orig, Exception) else error
