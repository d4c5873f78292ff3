"""Database connections that report an outage as `DatabaseOutageError`."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from ssl import SSLError

from asyncpg import PostgresError  # pyright: ignore[reportMissingTypeStubs] - asyncpg has no type stubs
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from store.errors import DatabaseOutageError

OUTAGE_STATES = ("08", "53", "57P", "58", "25006")
"""Prefixes of the SQLSTATEs of transient errors: connections, resources (memory, disk, too many clients), shutdowns and
starts, the server's own I/O, and a standby that is not promoted yet."""


@asynccontextmanager
async def open_connection(engine: AsyncEngine) -> AsyncGenerator[AsyncConnection]:
    """Open a connection for queries; raise `DatabaseOutageError` in an outage."""
    with raising_outages():
        async with engine.connect() as connection:
            yield connection


@asynccontextmanager
async def open_transaction(engine: AsyncEngine) -> AsyncGenerator[AsyncConnection]:
    """Open a transaction that is committed at the end of the block; raise `DatabaseOutageError` in an outage."""
    with raising_outages():
        async with engine.begin() as connection:
            yield connection


@contextmanager
def raising_outages() -> Generator[None]:
    """Replace errors in the block that indicate an outage by `DatabaseOutageError`."""
    try:
        yield
    except (OSError, PostgresError, DBAPIError) as error:
        if not is_outage(error):
            raise
        raise DatabaseOutageError(driver_error(error)) from error


def is_outage(error: Exception) -> bool:
    """Return whether the same query may succeed later without changes."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or is_outage(error.driver_exception or Exception())
    return isinstance(error, OSError) or str(getattr(error, "sqlstate", "")).startswith(OUTAGE_STATES)


def driver_error(error: Exception) -> Exception:
    """Return the driver's error that SQLAlchemy may have wrapped."""
    return error.orig if isinstance(error, DBAPIError) and isinstance(error.orig, Exception) else error


def tls_error(error: BaseException | None) -> SSLError | None:
    """Return the failure of TLS that an error comes from, if any: asyncpg reports a refusal as a lost connection."""
    while error is not None and not isinstance(error, SSLError):
        error = getattr(error, "orig", None) or error.__cause__
    return error
