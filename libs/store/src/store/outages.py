"""Database connections: with TLS as the URL asks for it, and with outages reported as `DatabaseOutageError`."""

import ssl
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from asyncpg import PostgresError  # pyright: ignore[reportMissingTypeStubs] - asyncpg has no type stubs
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from store.errors import DatabaseCertificateError, DatabaseOutageError
from store.settings import DatabaseSettings

OUTAGE_STATES = ("08", "53", "57P", "58", "25006")
"""Prefixes of the SQLSTATEs of transient errors: connections, resources (memory, disk, too many clients), shutdowns and
starts, the server's own I/O, and a standby that is not promoted yet."""
APPLICATION = "millwright"
"""The name of our sessions in Postgres."""
VERIFYING = ("verify-ca", "verify-full")


def make_engine(
    settings: DatabaseSettings,
    connect: dict[str, Any] | None = None,
    **options: Any,  # noqa: ANN401 - options of SQLAlchemy
) -> AsyncEngine:
    """Return an engine that has not connected yet; `connect` are options of asyncpg, `options` those of SQLAlchemy.

    Raises `DatabaseCertificateError`.
    """
    return create_async_engine(settings.asyncpg_url, connect_args={**_tls(settings), **(connect or {})}, **options)


def _tls(settings: DatabaseSettings) -> dict[str, Any]:
    """Return asyncpg's option: psql's mode as it is, or what to verify and to show if the URL names files."""
    given = settings.tls_parameters
    mode, authority = given.get("sslmode"), given.get("sslrootcert")
    if not given.keys() - {"sslmode"}:
        return {} if mode is None else {"ssl": mode}
    try:
        context = ssl.create_default_context(cafile=authority)
        if "sslcert" in given:
            context.load_cert_chain(given["sslcert"], given.get("sslkey"))
    except OSError as error:  # ssl.SSLError is one
        raise DatabaseCertificateError(error) from error
    context.check_hostname = mode == "verify-full"
    if mode not in VERIFYING and authority is None:
        context.verify_mode = ssl.CERT_NONE  # as psql does for `require`
    return {"ssl": context}


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


def tls_error(error: BaseException | None) -> ssl.SSLError | None:
    """Return the failure of TLS that an error comes from, if any: asyncpg reports a refusal as a lost connection."""
    while error is not None and not isinstance(error, ssl.SSLError):
        error = getattr(error, "orig", None) or error.__cause__
    return error
