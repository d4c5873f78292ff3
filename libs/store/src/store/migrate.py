"""Database migration to the schema version of this code, and the check of that version."""

import asyncio
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from asyncpg import PostgresError  # pyright: ignore[reportMissingTypeStubs] - asyncpg has no type stubs
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateSchema

from store.catalog.fill import fill_catalog
from store.catalog.reader_role import provision_reader
from store.errors import DatabaseUnavailableError, EncodingError, SchemaMissingError, SchemaVersionError
from store.outages import driver_error, is_outage, make_engine, tls_error
from store.read_models.rebuild import rebuild_if_outdated
from store.settings import DatabaseSettings
from store.tables import CHECKPOINTS, OWN_SCHEMA

RETRY_S = 0.3
MIGRATIONS = Path(__file__).parent / "migrations"
ENCODING = "UTF8"
LOCK = 0x6D696C6C
"""Key of the advisory lock ("mill"); arbitrary, but different from the other keys."""


async def migrate(settings: DatabaseSettings) -> None:
    """Migrate the database to the newest version, its catalog to this code's data and the read models to its
    projections, in one transaction.

    Safe to run in several processes at once. Raises `DatabaseUnavailableError`, `EncodingError`, or for a database of
    newer code, which is left as it is, `SchemaVersionError`.
    """
    engine = make_engine(settings, poolclass=NullPool)
    try:
        await check_connection(engine, settings.database_connect_timeout_s)
        async with engine.begin() as connection:
            await _require_encoding(connection)
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            await connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {OWN_SCHEMA}"))
            await _require_known(connection)
            await connection.run_sync(_upgrade)
            await _complete(connection)
            await fill_catalog(connection)
            await rebuild_if_outdated(connection)
    finally:
        await engine.dispose()


async def _complete(connection: AsyncConnection) -> None:
    """Provision the catalog's reader, and create the schemas of checkpoints: backups leave both out."""
    await provision_reader(connection)
    for schema in sorted(CHECKPOINTS.values()):
        await connection.execute(CreateSchema(schema, if_not_exists=True))


async def check_connection(engine: AsyncEngine, timeout_s: float = 0.0) -> None:
    """Raise `DatabaseUnavailableError` unless the database accepts a connection; an outage is waited out."""
    deadline = asyncio.get_running_loop().time() + timeout_s
    while True:
        try:
            async with engine.connect():
                return
        except (OSError, PostgresError, DBAPIError) as error:
            refusal = tls_error(error)
            if refusal is not None or not is_outage(error):
                raise DatabaseUnavailableError(_location(engine), refusal or driver_error(error)) from error
            if asyncio.get_running_loop().time() > deadline:
                raise DatabaseUnavailableError(_location(engine), driver_error(error), timeout_s) from error
        await asyncio.sleep(RETRY_S)


async def check_version(engine: AsyncEngine, timeout_s: float = 0.0) -> None:
    """Raise a `StoreError` unless the database is available within `timeout_s` and has the newest version."""
    await check_connection(engine, timeout_s)
    async with engine.connect() as connection:
        found = await installed_version(connection)
    required = newest_version()
    if found is None:
        raise SchemaMissingError(required)
    if found != required:
        raise SchemaVersionError(found, required, is_older=found in known_versions())


def newest_version() -> str:
    """Return the schema version of this code."""
    return known_versions()[0]


def known_versions() -> list[str]:
    """Return the versions of all migrations, newest first."""
    scripts = ScriptDirectory.from_config(_config())
    return [script.revision for script in scripts.walk_revisions()]


async def installed_version(connection: AsyncConnection) -> str | None:
    """Return the schema version of the database; None if it was never migrated."""
    table = f"{OWN_SCHEMA}.alembic_version"
    if await connection.scalar(text("SELECT to_regclass(:table)"), {"table": table}) is None:
        return None
    return await connection.scalar(text(f"SELECT version_num FROM {table}"))  # noqa: S608 - a constant


async def _require_known(connection: AsyncConnection) -> None:
    """Raise `SchemaVersionError` for a version that this code does not know: newer code has made it."""
    found = await installed_version(connection)
    if found is not None and found not in known_versions():
        raise SchemaVersionError(found, newest_version(), is_older=False)


async def _require_encoding(connection: AsyncConnection) -> None:
    """Raise `EncodingError` for a database such as SQL_ASCII, which a server without a locale creates by default."""
    encoding = str(await connection.scalar(text("SHOW server_encoding")))
    if encoding != ENCODING:
        raise EncodingError(_location(connection.engine), encoding)


def _location(engine: AsyncEngine) -> str:
    """Return host, port and database name, without user and password."""
    url = engine.url
    return f"{url.host}:{url.port or 5432}/{url.database}"


def _upgrade(connection: Connection) -> None:
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
