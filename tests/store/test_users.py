"""Each service's own database user: what it may write, and what is refused by Postgres itself."""

# asyncpg brings no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from agent.checkpoints import PostgresCheckpoints
from asyncpg import InvalidPasswordError
from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError, ProgrammingError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool
from store.catalog import Catalog
from store.migrate import migrate
from store.settings import DatabaseSettings
from store.users import WRITES, provide_users

TABLES = {
    "log": "log.unreadable",
    "checkpoints": "checkpoints.checkpoints",
    "skills": "skills.skill",
    "catalog": "catalog.part",
    "store": "store.alembic_version",
}
"""One table of each schema."""
PASSWORDS = {user: f"secret-of-{user}'s" for user in WRITES}


@pytest.fixture
async def provided(empty_database_url: str) -> str:
    """A database that is migrated and lets the services in; its URL."""
    settings = DatabaseSettings(database_url=empty_database_url)
    await migrate(settings)
    checkpoints = PostgresCheckpoints(empty_database_url)
    await checkpoints.start()
    await checkpoints.stop()
    assert await provide_users(settings, PASSWORDS) == sorted(WRITES)
    return empty_database_url


@asynccontextmanager
async def being(user: str, url: str, password: str | None = None) -> AsyncGenerator[AsyncConnection]:
    engine = create_async_engine(_asyncpg(user, url, password), poolclass=NullPool)
    try:
        async with engine.connect() as connection:
            yield connection
    finally:
        await engine.dispose()


def _asyncpg(user: str, url: str, password: str | None = None) -> str:
    chosen = make_url(url).set(username=user, password=password or PASSWORDS[user], drivername="postgresql+asyncpg")
    return chosen.render_as_string(hide_password=False)


async def may_delete(connection: AsyncConnection, table: str) -> bool:
    try:
        await connection.execute(text(f"DELETE FROM {table}"))
    except ProgrammingError as error:
        if "permission denied" not in str(error):
            raise
        return False
    finally:
        await connection.rollback()
    return True


@pytest.mark.parametrize("user", sorted(WRITES))
async def test_a_service_writes_its_own_schemas_and_no_other(user: str, provided: str) -> None:
    async with being(user, provided) as connection:
        written = {schema for schema, table in TABLES.items() if await may_delete(connection, table)}
    assert written == set(WRITES[user])


async def test_whoever_has_anothers_name_without_its_password_stays_outside(provided: str) -> None:
    with pytest.raises((InvalidPasswordError, DBAPIError)):
        async with being("recorder", provided, PASSWORDS["planner"]):
            pass


async def test_the_command_reads_the_log_and_a_role_does_not(provided: str) -> None:
    async with being("cli", provided) as connection:
        assert await connection.scalar(text("SELECT count(*) FROM log.told")) == 0
    async with being("planner", provided) as connection:
        with pytest.raises(ProgrammingError, match="permission denied"):
            await connection.execute(text("SELECT count(*) FROM log.events"))


async def test_a_role_starts_its_memory_as_its_own_user(provided: str) -> None:
    chosen = make_url(provided).set(username="critic", password=PASSWORDS["critic"])
    checkpoints = PostgresCheckpoints(chosen.render_as_string(hide_password=False))
    await checkpoints.start()
    await checkpoints.forget("a run:critic")
    assert await checkpoints.saver.aget_tuple({"configurable": {"thread_id": "a run:critic"}}) is None
    await checkpoints.stop()


async def test_the_catalog_is_searched_by_its_own_user(provided: str) -> None:
    engine = create_async_engine(_asyncpg("catalog", provided), poolclass=NullPool)
    catalog = Catalog(engine)
    found = await catalog.query("SELECT part_id FROM part_search LIMIT 1")
    assert await catalog.part(str(found.rows[0][0])) is not None
    await engine.dispose()


async def test_providing_again_changes_passwords(provided: str) -> None:
    await provide_users(DatabaseSettings(database_url=provided), {"cli": "another"})
    async with being("cli", provided, "another") as connection:
        assert await connection.scalar(text("SELECT current_user")) == "cli"
