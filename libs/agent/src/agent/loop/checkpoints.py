"""Checkpoints: stored thread states, in LangGraph's tables in Postgres."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Protocol, get_args
from urllib.parse import urlsplit

from contracts.envelope import Role
from contracts.settings import COMMAND
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection, OperationalError
from psycopg.errors import DeadlockDetected, InsufficientPrivilege, InvalidSchemaName, SerializationFailure
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

CHECKPOINTS_UNAVAILABLE: tuple[type[Exception], ...] = (OperationalError,)
"""Postgres is unavailable, or this connection to it; an exhausted pool raises a subclass."""

START_S = 30.0
"""How long a role waits for Postgres at its start by default."""
_CONNECTION_TIMEOUT_S = 3.0
_RECONNECT_TIMEOUT_S = 2.0
"""The pool doubles its pauses between tries up to minutes: it gives up early, and the next caller reconnects."""

_log = logging.getLogger(__name__)

_TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
"""LangGraph's, by thread."""
_SETUP_LOCK = 4_702_711
"""Key of the advisory lock under which a process creates LangGraph's tables."""


class CheckpointsUnavailableError(OperationalError):
    """Postgres does not answer, or denies access to the schema."""


class Checkpoints(Protocol):
    """The checkpoints of one role; usable from `start` to `stop`."""

    @property
    def saver(self) -> BaseCheckpointSaver[Any]:
        """LangGraph's saver."""
        ...

    async def start(self) -> None:
        """Open it."""
        ...

    async def stop(self) -> None:
        """Close it."""
        ...

    async def keep_newest(self, thread: str) -> None:
        """Delete all checkpoints of a thread but the newest: no thread goes back."""
        ...

    async def forget(self, thread: str) -> None:
        """Delete all checkpoints of a thread."""
        ...

    async def threads(self) -> list[str]:
        """Return every thread of which anything is stored."""
        ...


def schema_of(role: Role) -> str:
    """Return the name of the schema that holds a role's checkpoints."""
    return f"checkpoints_{role.replace('-', '_')}"


class MemoryCheckpoints:
    """Checkpoints that last as long as their process: for replays and tests."""

    def __init__(self) -> None:
        self.saver = InMemorySaver()

    async def start(self) -> None:
        """Do nothing."""

    async def stop(self) -> None:
        """Do nothing."""

    async def keep_newest(self, thread: str) -> None:
        """Keep all checkpoints."""

    async def forget(self, thread: str) -> None:
        """Delete a thread."""
        await self.saver.adelete_thread(thread)

    async def threads(self) -> list[str]:
        """Return every thread."""
        return list(self.saver.storage)


class PostgresCheckpoints:
    """Checkpoints in a schema of the role's own, made by the migrations: no role can write into another's."""

    def __init__(self, database_url: str, role: Role, connections: int = 4, start_s: float = START_S) -> None:
        """`connections`: the most that are open at once; `start_s`: how long `start` waits for Postgres."""
        self.connections = connections
        self._start_s = start_s
        self._schema = schema_of(role)
        parts = urlsplit(database_url)
        self._location = f"{parts.hostname}:{parts.port or 5432}{parts.path}"  # without the password
        self._pool = AsyncConnectionPool(
            database_url,
            connection_class=AsyncConnection[DictRow],
            kwargs={
                "autocommit": True,
                "prepare_threshold": 0,
                "row_factory": dict_row,
                "options": f"-c search_path={self._schema}",
            },
            min_size=1,
            max_size=connections,
            open=False,
            timeout=_CONNECTION_TIMEOUT_S,
            reconnect_timeout=_RECONNECT_TIMEOUT_S,
            check=AsyncConnectionPool.check_connection,  # pyright: ignore[reportArgumentType] - works for any row type
        )
        self._saver: AsyncPostgresSaver | None = None

    @property
    def saver(self) -> BaseCheckpointSaver[Any]:
        """LangGraph's saver; raises `RuntimeError` before the start."""
        if self._saver is None:
            raise RuntimeError("checkpoints were used before they were started")
        return self._saver

    async def start(self) -> None:
        """Connect, and create LangGraph's tables if they do not exist.

        Raises `CheckpointsUnavailableError` when Postgres does not accept a connection in time, or denies access to the
        schema.
        """
        try:
            await self._pool.open(wait=True, timeout=self._start_s)
            async with self._pool.connection(timeout=self._start_s) as connection, _exclusive(connection):
                await AsyncPostgresSaver(connection).setup()
        except PoolTimeout as error:
            raise CheckpointsUnavailableError(
                f"the database {self._location} accepted no connection within {self._start_s:g} s "
                "(DATABASE_CONNECT_TIMEOUT_S; the log says why): start it, or check DATABASE_URL"
            ) from error
        except (InvalidSchemaName, InsufficientPrivilege) as error:
            raise CheckpointsUnavailableError(
                f"the database {self._location} has no schema {self._schema}, or this user has no access to it "
                f"({error.diag.message_primary}): run `{COMMAND} migrate`, or check the user in DATABASE_URL"
            ) from error
        self._saver = AsyncPostgresSaver(self._pool)

    async def stop(self) -> None:
        """Close all connections."""
        self._saver = None
        await self._pool.close()

    async def keep_newest(self, thread: str) -> None:
        """Delete all checkpoints of a thread but the newest."""
        try:
            await self.saver.aprune([thread])
        except (SerializationFailure, DeadlockDetected):
            _log.info("another process writes or prunes the checkpoints of %s; the next step prunes again", thread)

    async def forget(self, thread: str) -> None:
        """Delete all checkpoints of a thread."""
        await self.saver.adelete_thread(thread)

    async def threads(self) -> list[str]:
        """Return every thread of which anything is stored."""
        query = " UNION ".join(f"SELECT thread_id FROM {table}" for table in _TABLES)  # noqa: S608 - constants
        async with self._pool.connection() as connection:
            return [str(row["thread_id"]) async for row in await connection.execute(query)]


async def set_up_checkpoints(database_url: str) -> None:
    """Create LangGraph's tables for every role. Raises `CheckpointsUnavailableError`."""
    for role in get_args(Role):
        checkpoints = PostgresCheckpoints(database_url, role, connections=1)
        try:
            await checkpoints.start()
        finally:
            await checkpoints.stop()


@asynccontextmanager
async def _exclusive(connection: AsyncConnection[DictRow]) -> AsyncGenerator[None]:
    """Hold the set-up lock.

    The lock is polled: a statement that waits for it would hold a snapshot, and the holder's CREATE INDEX CONCURRENTLY
    would wait for that in turn.
    """
    while not await _try_lock(connection):  # noqa: ASYNC110 - the lock is Postgres's: no event can be set here
        await asyncio.sleep(0.05)
    try:
        yield
    finally:
        await connection.execute("SELECT pg_advisory_unlock(%s)", (_SETUP_LOCK,))


async def _try_lock(connection: AsyncConnection[DictRow]) -> bool:
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s) AS locked", (_SETUP_LOCK,))
    row = await cursor.fetchone()
    return row is not None and bool(row["locked"])
