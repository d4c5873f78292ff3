"""Database users of the services: what each may write, and what Postgres refuses."""

# asyncpg has no type stubs.
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
from store.catalog.query_check import QueryRefusedError
from store.catalog.reader import Catalog
from store.errors import PasswordError
from store.migrate import migrate
from store.settings import DatabaseSettings
from store.tables import OWN_SCHEMA, SCHEMAS
from store.users import CATALOG_READER, USERS, WRITABLE_SCHEMAS, provision_users

ROLES: tuple[Role, ...] = get_args(Role)
TABLES = {
    "log": "log.unreadable",
    "skills": "skills.skill",
    "benchmarks": "benchmarks.benchmark",
    "catalog": "catalog.part",
    "read_models": "read_models.runs",
    "backups": "backups.request",
    "sessions": "sessions.ended",
    "store": "store.alembic_version",
    **{schema_of(role): f"{schema_of(role)}.checkpoints" for role in ROLES},
}
"""One table of each schema."""
PASSWORDS = {user: f"secret-of-{user}'s" for user in USERS}


@pytest.fixture(scope="module")
def provisioned(servers: ServerStack) -> Iterator[str]:
    """URL of a migrated database with the users of the services, which logs all statements."""
    name = f"users_{uuid4().hex}"
    url = servers.database_url.rpartition("/")[0] + f"/{name}"
    asyncio.run(
        _execute(servers.database_url, f"CREATE DATABASE {name}", f"ALTER DATABASE {name} SET log_statement = 'all'")
    )
    asyncio.run(_provision(DatabaseSettings(database_url=url)))
    yield url
    asyncio.run(_execute(servers.database_url, f"DROP DATABASE {name} WITH (FORCE)"))


async def _provision(settings: DatabaseSettings) -> None:
    await migrate(settings)
    await set_up_checkpoints(settings.database_url)
    assert await provision_users(settings, PASSWORDS) == sorted(USERS)


async def _execute(url: str, *statements: str) -> None:
    engine = create_async_engine(
        DatabaseSettings(database_url=url).asyncpg_url, poolclass=NullPool, isolation_level="AUTOCOMMIT"
    )
    async with engine.connect() as connection:
        for statement in statements:
            await connection.execute(text(statement))
    await engine.dispose()


@asynccontextmanager
async def connected_as(user: str, url: str, password: str | None = None) -> AsyncGenerator[AsyncConnection]:
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


async def _writable(connection: AsyncConnection) -> set[str]:
    """Return the schemas with a table from which the user may delete."""
    return {schema for schema, table in TABLES.items() if await _is_allowed(connection, f"DELETE FROM {table}")}


def test_every_schema_has_a_tested_table():
    assert set(TABLES) == {OWN_SCHEMA, *SCHEMAS}


@pytest.mark.sample(3)
@pytest.mark.parametrize("user", sorted(WRITABLE_SCHEMAS))
async def test_service_writes_only_its_own_schemas(user: str, provisioned: str) -> None:
    async with connected_as(user, provisioned) as connection:
        creatable = {
            schema for schema in TABLES if await _is_allowed(connection, f"CREATE TABLE {schema}.mine (a int)")
        }
        assert await _writable(connection) == creatable == set(WRITABLE_SCHEMAS[user])


@pytest.mark.parametrize("role", ROLES)
async def test_role_opens_only_its_own_checkpoints(role: Role, provisioned: str) -> None:
    checkpoints = PostgresCheckpoints(_url(role, provisioned), role)
    await checkpoints.start()
    await checkpoints.forget(f"a run:{role}")
    assert await checkpoints.saver.aget_tuple({"configurable": {"thread_id": f"a run:{role}"}}) is None
    await checkpoints.stop()
    other = next(user for user in ROLES if user != role)
    foreign = PostgresCheckpoints(_url(other, provisioned), role)
    with pytest.raises(CheckpointsUnavailableError, match=schema_of(role)):
        await foreign.start()
    await foreign.stop()


async def test_wrong_password_is_refused(provisioned: str) -> None:
    with pytest.raises((InvalidPasswordError, DBAPIError)):
        async with connected_as("recorder", provisioned, PASSWORDS["planner"]):
            pass


async def test_cli_reads_the_log_and_roles_only_their_checkpoints(provisioned: str) -> None:
    async with connected_as("cli", provisioned) as connection:
        assert await connection.scalar(text("SELECT count(*) FROM log.told")) == 0
    async with connected_as("planner", provisioned) as connection:
        readable = {schema for schema, table in TABLES.items() if await _is_allowed(connection, f"SELECT FROM {table}")}
    assert readable == {"checkpoints_planner", "store"}


@pytest.fixture
async def catalog(provisioned: str) -> AsyncGenerator[Catalog]:
    """The catalog with the login of its queries."""
    engine = create_async_engine(_asyncpg(CATALOG_READER, provisioned), poolclass=NullPool)
    yield Catalog(engine)
    await engine.dispose()


async def test_reader_of_the_catalog_can_query_it(catalog: Catalog) -> None:
    found = await catalog.query("SELECT part_id FROM part_search LIMIT 1")
    assert len(await catalog.parts([str(found.rows[0][0])])) == 1


@pytest.mark.parametrize(
    "secret",
    [
        "pg_read_file('/etc/passwd')",
        "(SELECT string_agg(rolpassword, ' ') FROM pg_authid)",
        "(SELECT string_agg(body::text, ' ') FROM log.told)",
        "(SELECT count(*)::text FROM checkpoints_catalog.checkpoints)",
        "lo_export(1, '/tmp/mine')::text",
    ],
)
async def test_query_that_resets_its_role_gains_nothing(catalog: Catalog, secret: str) -> None:
    with pytest.raises(QueryRefusedError, match="permission denied"):
        await catalog.run_unchecked(f"SELECT set_config('role', 'none', true), {secret}")
    nested = f"select to_tsvector(''simple'', {secret.replace(chr(39), 2 * chr(39))})"
    sql = f"SELECT set_config('role', 'none', true), (SELECT 1 FROM ts_stat('{nested}') LIMIT 1)"
    with pytest.raises(QueryRefusedError, match="permission denied"):
        await catalog.run_unchecked(sql)


async def test_role_of_the_catalog_alone_cannot_read_parts(provisioned: str) -> None:
    async with connected_as("catalog", provisioned) as connection:
        assert not await _is_allowed(connection, "SELECT FROM catalog.part")


async def test_provisioning_again_revokes_excess_rights(provisioned: str) -> None:
    await _execute(
        provisioned,
        "GRANT ALL ON SCHEMA checkpoints_engineer TO critic WITH GRANT OPTION",
        "GRANT ALL ON ALL TABLES IN SCHEMA checkpoints_engineer TO critic WITH GRANT OPTION",
        "GRANT USAGE ON SCHEMA log TO critic",
        "GRANT DELETE, SELECT (reason) ON log.unreadable TO critic",
        'GRANT "skill-learner" TO critic',
        "SET ROLE critic",
        "GRANT USAGE ON SCHEMA checkpoints_engineer TO planner",
        "GRANT SELECT ON checkpoints_engineer.checkpoints TO planner",
    )
    async with connected_as("critic", provisioned) as connection:
        own, skills = set(WRITABLE_SCHEMAS["critic"]), set(WRITABLE_SCHEMAS["skill-learner"])
        assert await _writable(connection) == own | skills | {"checkpoints_engineer", "log"}
    await provision_users(DatabaseSettings(database_url=provisioned), PASSWORDS)
    async with connected_as("critic", provisioned) as connection:
        assert await _writable(connection) == own
        assert not await _is_allowed(connection, "SELECT reason FROM log.unreadable")
        assert not await _is_allowed(connection, 'SET ROLE "skill-learner"')
    async with connected_as("planner", provisioned) as connection:
        assert not await _is_allowed(connection, "SELECT FROM checkpoints_engineer.checkpoints")


async def test_password_is_stored_as_verifier_and_never_logged(provisioned: str, servers: ServerStack) -> None:
    settings = DatabaseSettings(database_url=provisioned)
    await provision_users(settings, {"cli": "not-to-be-logged"})
    async with connected_as("cli", provisioned, "not-to-be-logged") as connection:
        assert await connection.scalar(text("SELECT current_user")) == "cli"
    engine = create_async_engine(settings.asyncpg_url, poolclass=NullPool)
    async with engine.connect() as connection:
        stored = await connection.scalar(text("SELECT rolpassword FROM pg_authid WHERE rolname = 'cli'"))
    await engine.dispose()
    await provision_users(settings, {"cli": PASSWORDS["cli"]})  # restored for other tests
    server_log = _log_of(servers)
    assert stored.startswith("SCRAM-SHA-256$4096:")
    assert f"PASSWORD '{stored}'" in server_log  # proves that statements are logged
    assert not [secret for secret in ("not-to-be-logged", *PASSWORDS.values()) if secret in server_log]


@pytest.mark.parametrize("password", ["", "pässword", "pass\tword"])
async def test_password_that_is_not_printable_ascii_is_refused(password: str, provisioned: str) -> None:
    with pytest.raises(PasswordError, match="password of cli"):
        await provision_users(DatabaseSettings(database_url=provisioned), {"cli": password})
