"""Each service's own database user: what it may write, and what is refused by Postgres itself."""

# asyncpg brings no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import get_args
from uuid import uuid4

import pytest
from agent.loop.checkpoints import CheckpointsUnavailableError, PostgresCheckpoints, schema_of, set_up_checkpoints
from asyncpg import InvalidPasswordError
from contracts.envelope import Role
from local_stack.servers.server_stack import ServerStack
from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError, ProgrammingError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool
from store.catalog.reader import Catalog
from store.errors import PasswordError
from store.migrate import migrate
from store.settings import DatabaseSettings
from store.tables import OWN_SCHEMA, SCHEMAS
from store.users import WRITES, provide_users

ROLES: tuple[Role, ...] = get_args(Role)
TABLES = {
    "log": "log.unreadable",
    "skills": "skills.skill",
    "catalog": "catalog.part",
    "store": "store.alembic_version",
    **{schema_of(role): f"{schema_of(role)}.checkpoints" for role in ROLES},
}
"""One table of each schema."""
PASSWORDS = {user: f"secret-of-{user}'s" for user in WRITES}


@pytest.fixture(scope="module")
def provided(servers: ServerStack) -> Iterator[str]:
    """A database that is migrated and lets the services in, whose statements are logged; its URL."""
    name = f"users_{uuid4().hex}"
    url = servers.database_url.rpartition("/")[0] + f"/{name}"
    asyncio.run(
        _tell(servers.database_url, f"CREATE DATABASE {name}", f"ALTER DATABASE {name} SET log_statement = 'all'")
    )
    asyncio.run(_provide(DatabaseSettings(database_url=url)))
    yield url
    asyncio.run(_tell(servers.database_url, f"DROP DATABASE {name} WITH (FORCE)"))


async def _provide(settings: DatabaseSettings) -> None:
    await migrate(settings)
    await set_up_checkpoints(settings.database_url)
    assert await provide_users(settings, PASSWORDS) == sorted(WRITES)


async def _tell(url: str, *statements: str) -> None:
    engine = create_async_engine(
        DatabaseSettings(database_url=url).asyncpg_url, poolclass=NullPool, isolation_level="AUTOCOMMIT"
    )
    async with engine.connect() as connection:
        for statement in statements:
            await connection.execute(text(statement))
    await engine.dispose()


@asynccontextmanager
async def being(user: str, url: str, password: str | None = None) -> AsyncGenerator[AsyncConnection]:
    engine = create_async_engine(_asyncpg(user, url, password), poolclass=NullPool)
    try:
        async with engine.connect() as connection:
            yield connection
    finally:
        await engine.dispose()


def _asyncpg(user: str, url: str, password: str | None = None) -> str:
    return _url(user, url, password, "postgresql+asyncpg")


def _url(user: str, url: str, password: str | None = None, driver: str = "postgresql") -> str:
    chosen = make_url(url).set(username=user, password=password or PASSWORDS[user], drivername=driver)
    return chosen.render_as_string(hide_password=False)


def _log_of(servers: ServerStack) -> str:
    return (servers.folder / "logs/postgres.log").read_text("utf-8")


async def _is_allowed(connection: AsyncConnection, statement: str) -> bool:
    try:
        await connection.execute(text(statement))
    except ProgrammingError as error:
        if "permission denied" not in str(error):
            raise
        return False
    finally:
        await connection.rollback()
    return True


async def _written(connection: AsyncConnection) -> set[str]:
    """Return the schemas of which one table can be emptied."""
    return {schema for schema, table in TABLES.items() if await _is_allowed(connection, f"DELETE FROM {table}")}


def test_every_schema_of_ours_is_tried():
    assert set(TABLES) == {OWN_SCHEMA, *SCHEMAS}


@pytest.mark.parametrize("user", sorted(WRITES))
async def test_a_service_writes_its_own_schemas_and_no_other(user: str, provided: str) -> None:
    async with being(user, provided) as connection:
        made = {schema for schema in TABLES if await _is_allowed(connection, f"CREATE TABLE {schema}.mine (a int)")}
        assert await _written(connection) == made == set(WRITES[user])


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_starts_its_memory_as_its_own_user_and_as_no_other(role: Role, provided: str) -> None:
    checkpoints = PostgresCheckpoints(_url(role, provided), role)
    await checkpoints.start()
    await checkpoints.forget(f"a run:{role}")
    assert await checkpoints.saver.aget_tuple({"configurable": {"thread_id": f"a run:{role}"}}) is None
    await checkpoints.stop()
    other = next(user for user in ROLES if user != role)
    trespassing = PostgresCheckpoints(_url(other, provided), role)
    with pytest.raises(CheckpointsUnavailableError, match=f"no schema {schema_of(role)}"):
        await trespassing.start()
    await trespassing.stop()


async def test_whoever_has_anothers_name_without_its_password_stays_outside(provided: str) -> None:
    with pytest.raises((InvalidPasswordError, DBAPIError)):
        async with being("recorder", provided, PASSWORDS["planner"]):
            pass


async def test_the_command_reads_the_log_and_a_role_reads_only_what_it_remembers(provided: str) -> None:
    async with being("cli", provided) as connection:
        assert await connection.scalar(text("SELECT count(*) FROM log.told")) == 0
    async with being("planner", provided) as connection:
        read = {schema for schema, table in TABLES.items() if await _is_allowed(connection, f"SELECT FROM {table}")}
    assert read == {"checkpoints_planner", "store"}


async def test_the_catalog_is_searched_by_its_own_user(provided: str) -> None:
    engine = create_async_engine(_asyncpg("catalog", provided), poolclass=NullPool)
    catalog = Catalog(engine)
    found = await catalog.query("SELECT part_id FROM part_search LIMIT 1")
    assert await catalog.part(str(found.rows[0][0])) is not None
    await engine.dispose()


async def test_providing_again_takes_what_is_not_due(provided: str) -> None:
    await _tell(
        provided,
        "GRANT ALL ON SCHEMA checkpoints_engineer TO critic WITH GRANT OPTION",
        "GRANT ALL ON ALL TABLES IN SCHEMA checkpoints_engineer TO critic WITH GRANT OPTION",
        "GRANT USAGE ON SCHEMA log TO critic",
        "GRANT DELETE, SELECT (reason) ON log.unreadable TO critic",
        'GRANT "skill-learner" TO critic',
        "SET ROLE critic",
        "GRANT USAGE ON SCHEMA checkpoints_engineer TO planner",
        "GRANT SELECT ON checkpoints_engineer.checkpoints TO planner",
    )
    async with being("critic", provided) as connection:
        own, skills = set(WRITES["critic"]), set(WRITES["skill-learner"])
        assert await _written(connection) == own | skills | {"checkpoints_engineer", "log"}
    await provide_users(DatabaseSettings(database_url=provided), PASSWORDS)
    async with being("critic", provided) as connection:
        assert await _written(connection) == own
        assert not await _is_allowed(connection, "SELECT reason FROM log.unreadable")
        assert not await _is_allowed(connection, 'SET ROLE "skill-learner"')
    async with being("planner", provided) as connection:
        assert not await _is_allowed(connection, "SELECT FROM checkpoints_engineer.checkpoints")


async def test_a_password_is_kept_as_a_verifier_and_logged_nowhere(provided: str, servers: ServerStack) -> None:
    settings = DatabaseSettings(database_url=provided)
    await provide_users(settings, {"cli": "not-to-be-logged"})
    async with being("cli", provided, "not-to-be-logged") as connection:
        assert await connection.scalar(text("SELECT current_user")) == "cli"
    engine = create_async_engine(settings.asyncpg_url, poolclass=NullPool)
    async with engine.connect() as connection:
        kept = await connection.scalar(text("SELECT rolpassword FROM pg_authid WHERE rolname = 'cli'"))
    await engine.dispose()
    await provide_users(settings, {"cli": PASSWORDS["cli"]})  # as other tests expect it
    told = _log_of(servers)
    assert kept.startswith("SCRAM-SHA-256$4096:")
    assert f"PASSWORD '{kept}'" in told  # so that the statement is logged
    assert not [secret for secret in ("not-to-be-logged", *PASSWORDS.values()) if secret in told]


@pytest.mark.parametrize("password", ["", "pässword", "pass\tword"])
async def test_a_password_that_clients_would_send_in_different_ways_is_refused(password: str, provided: str) -> None:
    with pytest.raises(PasswordError, match="the password of cli must be of printable ASCII"):
        await provide_users(DatabaseSettings(database_url=provided), {"cli": password})
