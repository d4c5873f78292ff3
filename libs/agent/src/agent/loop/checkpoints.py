"""Where threads are remembered."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Protocol, get_args
from urllib.parse import urlsplit

from contracts.envelope import Role
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection, OperationalError
from psycopg.errors import DeadlockDetected, InsufficientPrivilege, InvalidSchemaName, SerializationFailure
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

CHECKPOINTS_UNAVAILABLE: tuple[type[Exception], ...] = (OperationalError,)
"""Postgres is away, or is so for this connection; an exhausted pool says it by a subclass."""

START_S = 30.0
"""How long a role waits for Postgres before it gives up starting, unless it is told."""
_CONNECTION_TIMEOUT_S = 3.0
_RECONNECT_TIMEOUT_S = 2.0
"""The pool's own pauses between tries double up to minutes: it gives up early, and whoever needs it tries anew."""

_log = logging.getLogger(__name__)

_SETUP_LOCK = 4_702_711
"""An advisory lock's key: only one process at a time may create LangGraph's tables."""


class CheckpointsUnavailableError(OperationalError):
    """Nobody answers where threads are to be remembered, or we are not let in."""


class Checkpoints(Protocol):
    """Has a saver from its start on."""

    @property
    def saver(self) -> BaseCheckpointSaver[Any]:
        """LangGraph's saver."""
        ...

    async def start(self) -> None:
        """Make it ready."""
        ...

    async def stop(self) -> None:
        """Let go of it."""
        ...

    async def keep_newest(self, thread: str) -> None:
        """Drop all checkpoints of a thread but the newest: nobody goes back."""
        ...

    async def forget(self, thread: str) -> None:
        """Drop all checkpoints of a thread."""
        ...


def schema_of(role: Role) -> str:
    """Return the name of the schema in which a role remembers."""
    return f"checkpoints_{role.replace('-', '_')}"


class PostgresCheckpoints:
    """In a schema of the role's own, which the migrations make: no role can write into another's."""

    def __init__(self, database_url: str, role: Role, connections: int = 4, start_s: float = START_S) -> None:
        """`start_s`: how long a start waits for Postgres."""
        self._start_s = start_s
        self._schema = schema_of(role)
        parts = urlsplit(database_url)
        self._place = f"{parts.hostname}:{parts.port or 5432}{parts.path}"  # without the password
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
            check=AsyncConnectionPool.check_connection,  # pyright: ignore[reportArgumentType] - it minds no row type
        )
        self._saver: AsyncPostgresSaver | None = None

    @property
    def saver(self) -> BaseCheckpointSaver[Any]:
        """LangGraph's saver; there is none before the start."""
        if self._saver is None:
            raise RuntimeError("checkpoints were used before they were started")
        return self._saver

    async def start(self) -> None:
        """Connect, and create LangGraph's tables if they are not there.

        Raises `CheckpointsUnavailableError` when Postgres does not let us in in time, or not into the schema.
        """
        try:
            await self._pool.open(wait=True, timeout=self._start_s)
            async with self._pool.connection(timeout=self._start_s) as connection, _alone(connection):
                await AsyncPostgresSaver(connection).setup()
        except PoolTimeout as error:
            raise CheckpointsUnavailableError(
                f"the database {self._place} has not let us in within {self._start_s:g} s (DATABASE_CONNECT_TIMEOUT_S; "
                "the log says why): start it, or check DATABASE_URL"
            ) from error
        except (InvalidSchemaName, InsufficientPrivilege) as error:
            raise CheckpointsUnavailableError(
                f"the database {self._place} has no schema {self._schema}, or none that this user may work in "
                f"({error.diag.message_primary}): run `millwright migrate`, or check the user in DATABASE_URL"
            ) from error
        self._saver = AsyncPostgresSaver(self._pool)

    async def stop(self) -> None:
        """Close all connections."""
        self._saver = None
        await self._pool.close()

    async def keep_newest(self, thread: str) -> None:
        """Drop all checkpoints of a thread but the newest."""
        try:
            await self.saver.aprune([thread])
        except (SerializationFailure, DeadlockDetected):
            _log.info("another process writes or prunes checkpoints of %s; the next step prunes again", thread)

    async def forget(self, thread: str) -> None:
        """Drop all checkpoints of a thread."""
        await self.saver.adelete_thread(thread)


async def set_up_checkpoints(database_url: str) -> None:
    """Create LangGraph's tables for every role. Raises `CheckpointsUnavailableError`."""
    for role in get_args(Role):
        checkpoints = PostgresCheckpoints(database_url, role, connections=1)
        try:
            await checkpoints.start()
        finally:
            await checkpoints.stop()


@asynccontextmanager
async def _alone(connection: AsyncConnection[DictRow]) -> AsyncGenerator[None]:
    """Hold the set-up lock.

    It is tried again and again instead of waited for: a statement that waits holds a snapshot, and LangGraph's
    CREATE INDEX CONCURRENTLY would wait for that in turn.
    """
    while not await _try_lock(connection):  # noqa: ASYNC110 - the lock is Postgres's: nobody here can set an event
        await asyncio.sleep(0.05)
    try:
        yield
    finally:
        await connection.execute("SELECT pg_advisory_unlock(%s)", (_SETUP_LOCK,))


async def _try_lock(connection: AsyncConnection[DictRow]) -> bool:
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s) AS locked", (_SETUP_LOCK,))
    row = await cursor.fetchone()
    return row is not None and bool(row["locked"])
