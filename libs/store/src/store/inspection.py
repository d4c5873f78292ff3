"""A look at a database from outside, for whoever wants to tell what is wrong with it. Changes nothing."""

# asyncpg brings no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from asyncpg import PostgresError
from asyncpg.exceptions import InvalidAuthorizationSpecificationError, InvalidCatalogNameError
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from store.migrate import installed_version
from store.settings import DatabaseSettings

OLDEST_MAJOR = 14
"""The oldest Postgres that is still looked after by its makers."""

Trouble = Literal["silent", "refused", "not_let_in", "no_database"]


class DatabaseInspectionError(Exception):
    """The database cannot be looked at."""

    def __init__(self, kind: Trouble, detail: str) -> None:
        super().__init__(detail)
        self.kind: Trouble = kind


@dataclass(frozen=True)
class DatabaseState:
    """What was seen."""

    version: str
    """Of Postgres, such as `18.4`."""
    major: int
    encoding: str
    """Of the database's text; `store.migrate.ENCODING` is wanted."""
    time: datetime
    """The server's clock."""
    schema_version: str | None
    """None when nobody has migrated it yet."""
    connections: int
    max_connections: int
    recorded_up_to: int
    """The newest sequence of the stream in the log; 0 when there is none."""


async def inspect(settings: DatabaseSettings, timeout_s: float) -> DatabaseState:
    """Look; raise `DatabaseTroubleError` when that cannot be done."""
    engine = create_async_engine(settings.asyncpg_url, poolclass=NullPool, connect_args={"timeout": timeout_s})
    try:
        async with asyncio.timeout(timeout_s), engine.connect() as connection:
            return await _look(connection)
    except TimeoutError as error:
        raise DatabaseInspectionError("silent", f"no answer within {timeout_s:g} s") from error
    except (OSError, PostgresError, DBAPIError) as error:
        cause = error.orig if isinstance(error, DBAPIError) and isinstance(error.orig, Exception) else error
        raise DatabaseInspectionError(_kind(cause), str(cause) or type(cause).__name__) from error
    finally:
        await engine.dispose()


def _kind(cause: Exception) -> Trouble:
    original = cause.__cause__ or cause
    if isinstance(original, InvalidAuthorizationSpecificationError):
        return "not_let_in"
    if isinstance(original, InvalidCatalogNameError):
        return "no_database"
    return "refused"


async def _look(connection: AsyncConnection) -> DatabaseState:
    schema_version = await installed_version(connection)
    has_log = await connection.scalar(text("SELECT to_regclass('log.events')")) is not None
    newest = await connection.scalar(text("SELECT max(stream_sequence) FROM log.events")) if has_log else None
    row = (await connection.execute(text(FACTS))).one()
    return DatabaseState(
        version=str(row.version).split()[0],
        major=int(row.number) // 10000,
        encoding=str(row.encoding),
        time=row.time,
        schema_version=schema_version,
        connections=int(row.connections),
        max_connections=int(row.most),
        recorded_up_to=int(newest or 0),
    )


FACTS = """
SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number,
       current_setting('server_encoding') AS encoding, clock_timestamp() AS time,
       current_setting('max_connections') AS most,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections
"""
