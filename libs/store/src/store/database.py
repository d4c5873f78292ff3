"""The connection pool of a service, and a database that takes the place of another one."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.pool import NullPool

from store.errors import DatabaseInUseError, ReplacementError
from store.migrate import check_version
from store.outages import APPLICATION, driver_error, make_engine, open_connection
from store.settings import DatabaseSettings

CONNECT_TIMEOUT_S = 10.0
PROBE_S = 5.0
IN_USE = "SELECT count(*) FROM pg_stat_activity WHERE datname = :name AND application_name = :application"
END_OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name"
CLOSED_S, POLL_S = 3.0, 0.1
LOCALE = "SELECT datcollate, datctype FROM pg_database WHERE datname = :name"


class Database:
    """A resource of an app: the engine exists from the start, `start` checks the database, `stop` disconnects."""

    connections = 10
    """The most that are open at once; half of them stay open."""

    def __init__(self, settings: DatabaseSettings) -> None:
        self.engine: AsyncEngine = make_engine(
            settings,
            pool_size=self.connections // 2,
            max_overflow=self.connections // 2,
            pool_pre_ping=True,  # after a restart of the database a ping fails, not a message
            connect={
                "server_settings": {"application_name": APPLICATION},
                "timeout": min(CONNECT_TIMEOUT_S, settings.database_command_timeout_s),
                "command_timeout": settings.database_command_timeout_s,
            },
        )
        self._timeout_s = settings.database_connect_timeout_s

    async def start(self) -> None:
        """Check that the database has the schema version of this code; raise a `StoreError` if it does not.

        An outage is waited out for up to `database_connect_timeout_s`.
        """
        await check_version(self.engine, self._timeout_s)

    async def stop(self) -> None:
        """Close all connections."""
        await self.engine.dispose()


class DatabaseProbe:
    """Finds out whether the database answers. It has its own connection, so that it waits for no other query."""

    def __init__(self, settings: DatabaseSettings) -> None:
        own = {"application_name": APPLICATION}
        limits = {"server_settings": own, "timeout": PROBE_S, "command_timeout": PROBE_S}
        self._engine = make_engine(settings, pool_size=1, max_overflow=0, connect=limits)

    async def ask(self) -> None:
        """Return when the database answers; raise `DatabaseOutageError`."""
        async with open_connection(self._engine) as connection:
            await connection.execute(text("SELECT 1"))

    async def close(self) -> None:
        """Disconnect."""
        await self._engine.dispose()


class RequiredSchema:
    """A resource of an app that uses the database in its own way: starts only on the schema version of this code."""

    def __init__(self, settings: DatabaseSettings) -> None:
        self._settings = settings

    async def start(self) -> None:
        """As `Database.start`."""
        database = Database(self._settings)
        try:
            await database.start()
        finally:
            await database.stop()

    async def stop(self) -> None:
        """Nothing is open."""


class Replacement:
    """A new, empty database beside the one of `settings`."""

    def __init__(self, settings: DatabaseSettings) -> None:
        url = make_url(settings.database_url)
        self._name = str(url.database)
        self._own, self._old = f"{self._name}_restored", f"{self._name}_replaced"
        self.settings = settings.model_copy(
            update={"database_url": url.set(database=self._own).render_as_string(hide_password=False)}
        )
        between = "postgres" if self._name != "postgres" else "template1"
        self._server = make_engine(
            settings.model_copy(
                update={"database_url": url.set(database=between).render_as_string(hide_password=False)}
            ),
            poolclass=NullPool,
        )

    async def create(self) -> None:
        """Create it, in place of one that was left over. Raises `DatabaseInUseError` while services are connected."""
        async with self._connect() as connection:
            await self._require_unused(connection)
            await _drop(connection, self._own)
            locale = (await connection.execute(text(LOCALE), {"name": self._name})).one()
            await connection.exec_driver_sql(
                f"CREATE DATABASE {_quoted(self._own)} TEMPLATE template0 ENCODING 'UTF8' "
                f"LC_COLLATE '{locale.datcollate}' LC_CTYPE '{locale.datctype}'"
            )

    async def take_place(self) -> None:
        """Give it the name of the other database, which is removed then. Raises `DatabaseInUseError` as `create`."""
        async with self._connect() as connection:
            await self._require_unused(connection)
            await _drop(connection, self._old)
            for name in (self._name, self._own):
                await connection.execute(text(END_OTHERS), {"name": name})
            renames = ((self._name, self._old), (self._own, self._name))
            both = "; ".join(f"ALTER DATABASE {_quoted(old)} RENAME TO {_quoted(new)}" for old, new in renames)
            await connection.exec_driver_sql(f"DO $$ BEGIN {both}; END $$")
            await _drop(connection, self._old)

    async def drop(self) -> None:
        """Remove it, if it has not taken the place."""
        async with self._connect() as connection:
            await _drop(connection, self._own)

    @asynccontextmanager
    async def _connect(self) -> AsyncGenerator[AsyncConnection]:
        """Connect to the server outside both databases; each statement is a transaction of its own."""
        try:
            async with open_connection(self._server) as connection:
                yield await connection.execution_options(isolation_level="AUTOCOMMIT")
        except DBAPIError as error:
            raise ReplacementError(self._name, driver_error(error)) from error

    async def _require_unused(self, connection: AsyncConnection) -> None:
        """Wait a little: the server notices only after a moment that a connection was closed."""
        deadline = asyncio.get_running_loop().time() + CLOSED_S
        while used := await connection.scalar(text(IN_USE), {"name": self._name, "application": APPLICATION}):
            if asyncio.get_running_loop().time() > deadline:
                raise DatabaseInUseError(self._name, used)
            await asyncio.sleep(POLL_S)


async def _drop(connection: AsyncConnection, name: str) -> None:
    await connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {_quoted(name)} WITH (FORCE)")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
