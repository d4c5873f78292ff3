"""Read-only inspection of a database for diagnostics."""

# asyncpg has no type stubs.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import asyncio
from dataclasses import dataclass
from datetime import datetime

from asyncpg import PostgresError
from asyncpg.exceptions import InvalidAuthorizationSpecificationError, InvalidCatalogNameError
from contracts.settings import FailureKind, ServerInspectionError
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.pool import NullPool

from store.migrate import installed_version
from store.outages import driver_error, make_engine, open_connection, tls_error
from store.settings import DatabaseSettings

OLDEST_MAJOR = 14
"""The oldest major version of Postgres that still receives updates."""


STATE_QUERY = """
SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
       current_setting('server_encoding') AS encoding, clock_timestamp() AS time,
       current_setting('max_connections') AS max_connections,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections
"""
COUNTS_QUERY = """
SELECT (SELECT count(*) FROM log.events) AS events, (SELECT count(DISTINCT run_id) FROM log.events) AS runs,
       (SELECT count(*) FROM skills.skill) AS skills
"""


@dataclass(frozen=True)
class RecordCounts:
    """How much a database has recorded."""

    schema_version: str | None
    """None if it was never migrated; then nothing is recorded."""
    events: int
    runs: int
    skills: int


async def count_records(engine: AsyncEngine) -> RecordCounts:
    """Return how much the database has recorded."""
    async with open_connection(engine) as connection:
        version = await installed_version(connection)
        if version is None:
            return RecordCounts(None, 0, 0, 0)
        row = (await connection.execute(text(COUNTS_QUERY))).one()
    return RecordCounts(version, int(row.events), int(row.runs), int(row.skills))


@dataclass(frozen=True)
class DatabaseState:
    """The state of a database."""

    version: str
    """Version of Postgres, for example `18.4`."""
    major: int
    encoding: str
    """Encoding of the database; `store.migrate.ENCODING` is required."""
    time: datetime
    """The server's clock."""
    schema_version: str | None
    """None if it was never migrated."""
    connections: int
    max_connections: int
    recorded_up_to: int
    """The newest stream sequence in the event log; 0 if the log is empty."""


async def inspect(settings: DatabaseSettings, timeout_s: float) -> DatabaseState:
    """Return the state of the database; raise `ServerInspectionError` if it is unavailable."""
    engine = make_engine(settings, {"timeout": timeout_s}, poolclass=NullPool)
    try:
        async with asyncio.timeout(timeout_s), engine.connect() as connection:
            return await _state(connection)
    except TimeoutError as error:
        raise ServerInspectionError("no_answer", f"no answer within {timeout_s:g} s") from error
    except (OSError, PostgresError, DBAPIError) as error:
        cause = tls_error(error) or driver_error(error)
        raise ServerInspectionError(_failure_kind(cause), str(cause) or type(cause).__name__) from error
    finally:
        await engine.dispose()


def _failure_kind(cause: Exception) -> FailureKind:
    original = cause.__cause__ or cause
    if isinstance(original, InvalidAuthorizationSpecificationError):
        return "unauthorized"
    if isinstance(original, InvalidCatalogNameError):
        return "no_database"
    return "refused"


async def _state(connection: AsyncConnection) -> DatabaseState:
    schema_version = await installed_version(connection)
    has_log = await connection.scalar(text("SELECT to_regclass('log.events')")) is not None
    newest = await connection.scalar(text("SELECT max(stream_sequence) FROM log.events")) if has_log else None
    row = (await connection.execute(text(STATE_QUERY))).one()
    return DatabaseState(
        version=str(row.version).split()[0],
        major=int(row.number) // 10000,
        encoding=str(row.encoding),
        time=row.time,
        schema_version=schema_version,
        connections=int(row.connections),
        max_connections=int(row.max_connections),
        recorded_up_to=int(newest or 0),
    )
