"""Bringing a database to the version that this code speaks, and telling whether it is there."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from store.settings import DatabaseSettings
from store.tables import OWN_SCHEMA

MIGRATIONS = Path(__file__).parent / "migrations"
LOCK = 0x6D696C6C
"""Postgres' advisory lock is a number; ours is an arbitrary one ("mill")."""


class SchemaError(Exception):
    """The database is not at the version that this code speaks."""


class SchemaMissingError(SchemaError):
    """Nobody has migrated this database yet."""

    def __init__(self, wanted: str) -> None:
        super().__init__(f"the database has no tables of ours (version {wanted} is wanted); run `millwright migrate`")


class SchemaVersionError(SchemaError):
    """It was migrated by other code."""

    def __init__(self, found: str, wanted: str) -> None:
        mend = "run `millwright migrate`" if found in known_versions() else "update this service"
        super().__init__(f"the database is at version {found}, this code speaks version {wanted}; {mend}")


async def migrate(settings: DatabaseSettings) -> None:
    """Bring the database to the newest version, all or nothing. Any number of processes may do so at once."""
    engine = create_async_engine(settings.asyncpg_url, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            await connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {OWN_SCHEMA}"))
            await connection.run_sync(_upgrade)
    finally:
        await engine.dispose()


async def check_version(engine: AsyncEngine) -> None:
    """Raise `SchemaMissingError` or `SchemaVersionError` unless the database is at the newest version."""
    async with engine.connect() as connection:
        found = await _found_version(connection)
    wanted = newest_version()
    if found is None:
        raise SchemaMissingError(wanted)
    if found != wanted:
        raise SchemaVersionError(found, wanted)


def newest_version() -> str:
    """Return the version that this code speaks."""
    return known_versions()[0]


def known_versions() -> list[str]:
    """Return every version this code has ever spoken, newest first."""
    scripts = ScriptDirectory.from_config(_config())
    return [script.revision for script in scripts.walk_revisions()]


async def _found_version(connection: AsyncConnection) -> str | None:
    table = f"{OWN_SCHEMA}.alembic_version"
    if await connection.scalar(text("SELECT to_regclass(:table)"), {"table": table}) is None:
        return None
    return await connection.scalar(text(f"SELECT version_num FROM {table}"))  # noqa: S608 - a constant of ours


def _upgrade(connection: Connection) -> None:
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
