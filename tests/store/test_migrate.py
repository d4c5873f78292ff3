"""Migration of a database, and the errors about its version and availability."""

import asyncio
from functools import partial
from typing import Any, get_args

import pytest
from agent.loop.checkpoints import schema_of
from alembic.autogenerate import compare_metadata
from alembic.command import upgrade
from alembic.config import Config
from alembic.migration import MigrationContext
from chassis.stream.large_fields import artifacts_in
from contracts.envelope import Event, Role
from sqlalchemy import Connection, inspect, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from store.database import Database
from store.errors import DatabaseUnavailableError, EncodingError, SchemaMissingError, SchemaVersionError
from store.inspection import inspect as inspect_database
from store.log import EventLog
from store.migrate import known_versions, migrate, newest_version
from store.runs import RunSummaries
from store.settings import DatabaseSettings
from store.tables import OWN_SCHEMA, SCHEMAS, Table

from tests.store.example_runs import log_entries, new_request
from tests.store.schema_listing import GOLDEN, SCHEMA_FILE, migrated_schema
from tests.support.golden import read_golden


async def run(engine: AsyncEngine, statement: str) -> None:
    async with engine.begin() as connection:
        await connection.execute(text(statement))


async def test_start_on_empty_database_requests_migration(empty_database_url: str):
    database = Database(DatabaseSettings(database_url=empty_database_url))
    with pytest.raises(SchemaMissingError, match="run `millwright migrate`"):
        await database.start()
    await database.stop()


async def test_migration_is_concurrent_and_repeatable(empty_database_url: str):
    settings = DatabaseSettings(database_url=empty_database_url)
    await asyncio.gather(*(migrate(settings) for _ in range(5)))
    await migrate(settings)
    database = Database(settings)
    await database.start()
    async with database.engine.connect() as connection:
        schemas = await connection.run_sync(lambda sync: inspect(sync).get_schema_names())
    assert {*SCHEMAS, OWN_SCHEMA} <= set(schemas)
    await database.stop()


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
async def test_database_with_wrong_encoding_is_refused_unchanged(
    empty_database_url: str, database_url: str, encoding: str
):
    name = make_url(empty_database_url).database
    server = create_async_engine(DatabaseSettings(database_url=database_url).asyncpg_url, isolation_level="AUTOCOMMIT")
    async with server.connect() as connection:
        await connection.execute(text(f"DROP DATABASE {name}"))
        await connection.execute(
            text(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'")
        )
    await server.dispose()
    settings = DatabaseSettings(database_url=empty_database_url)
    with pytest.raises(EncodingError, match=f"{name} .*{encoding}.*createdb.*--encoding UTF8 NAME"):
        await migrate(settings)
    state = await inspect_database(settings, 5.0)
    assert (state.encoding, state.schema_version) == (encoding, None)


@pytest.mark.parametrize("found", ["0999", "0000"])
async def test_database_with_unknown_version_is_refused(empty_database_url: str, found: str):
    settings = DatabaseSettings(database_url=empty_database_url)
    await migrate(settings)
    database = Database(settings)
    await run(database.engine, f"UPDATE store.alembic_version SET version_num = '{found}'")
    with pytest.raises(SchemaVersionError, match=f"version {found}.*version {newest_version()}; it is newer"):
        await database.start()
    await database.stop()


async def test_start_on_older_database_requests_migration(empty_database_url: str, monkeypatch: pytest.MonkeyPatch):
    settings = DatabaseSettings(database_url=empty_database_url)
    await migrate(settings)
    monkeypatch.setattr("store.migrate.known_versions", lambda: ["0999", *known_versions()])
    database = Database(settings)
    with pytest.raises(SchemaVersionError, match="run `millwright migrate`"):
        await database.start()
    await database.stop()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"port": 1}, "Connect call failed"),
        ({"password": "wrong"}, "password authentication failed"),
        ({"database": "nowhere"}, 'database "nowhere" does not exist'),
        ({"host": "nowhere.invalid"}, "not known|resolution"),
    ],
    ids=["port", "password", "database", "host"],
)
async def test_unavailable_database_is_reported_in_one_line_without_password(
    database_url: str, changes: dict[str, Any], reason: str
):
    wrong = make_url(database_url).set(**changes)
    url = wrong.render_as_string(hide_password=False)
    settings = DatabaseSettings(database_url=url, database_connect_timeout_s=0)
    database = Database(settings)
    for attempt in (database.start, partial(migrate, settings)):
        with pytest.raises(DatabaseUnavailableError, match=f"(?s)({reason}).*; check DATABASE_URL$") as caught:
            await attempt()
        assert f"{wrong.host}:{wrong.port}/{wrong.database}" in str(caught.value)
        assert f":{wrong.password}@" not in str(caught.value)
        assert "\n" not in str(caught.value)
    await database.stop()


async def test_failed_migration_leaves_nothing_behind(empty_database_url: str):
    settings = DatabaseSettings(database_url=empty_database_url)
    engine = create_async_engine(settings.asyncpg_url)
    await run(engine, "CREATE SCHEMA skills")
    await run(engine, "CREATE TABLE skills.skill (conflicting integer)")
    with pytest.raises(DBAPIError, match="already exists"):
        await migrate(settings)
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT to_regclass('log.events')")) is None
    await engine.dispose()


async def nothing(_: AsyncConnection) -> None:
    """Neither catalog nor read models of today fit tables of an older version."""


def stop_at(revision: str, patch: pytest.MonkeyPatch) -> None:
    """Let `migrate` stop at an older version."""

    def upgrade_to(config: Config, _: str) -> None:
        upgrade(config, revision)

    patch.setattr("store.migrate.command.upgrade", upgrade_to)
    for step in ("_complete", "fill_catalog", "rebuild_if_outdated"):
        patch.setattr(f"store.migrate.{step}", nothing)


async def insert_event(engine: AsyncEngine, event: Event, *, in_bytes: bool = True) -> None:
    """Insert an event as versions without read models did."""
    columns = "id, run_id, kind, role, type, subject, stream_sequence, producer, occurred_at, schema_version, body"
    names = ", ".join(f":{name}" for name in columns.split(", "))
    (entry,) = log_entries(event)
    values = event.model_dump() | {"type": event.type, "subject": event.full_subject, "stream_sequence": 1}
    async with engine.begin() as connection:
        insert = text(f"INSERT INTO log.events ({columns}) VALUES ({names})")
        await connection.execute(insert, values | {"body": entry.body if in_bytes else entry.body.decode()})


async def test_bodies_of_the_first_version_are_converted(empty_database_url: str, monkeypatch: pytest.MonkeyPatch):
    settings = DatabaseSettings(database_url=empty_database_url)
    event = new_request().model_copy(update={"producer": "ü \\ \U0001f529"})
    engine = create_async_engine(settings.asyncpg_url)
    with monkeypatch.context() as patch:
        stop_at("0001", patch)
        await migrate(settings)
    await insert_event(engine, event, in_bytes=False)
    await migrate(settings)
    assert await EventLog(engine).events_of(event.run_id) == [event]
    await engine.dispose()


async def test_shared_checkpoints_are_replaced_by_schema_per_role(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch
):
    settings = DatabaseSettings(database_url=empty_database_url)
    engine = create_async_engine(settings.asyncpg_url)
    with monkeypatch.context() as patch:
        stop_at("0004", patch)
        await migrate(settings)
    await run(engine, "CREATE TABLE checkpoints.checkpoints AS SELECT 'a run:critic' AS thread_id")
    await migrate(settings)
    async with engine.connect() as connection:
        schemas = await connection.run_sync(lambda sync: inspect(sync).get_schema_names())
    assert {name for name in schemas if name.startswith("checkpoints")} == {schema_of(role) for role in get_args(Role)}
    await engine.dispose()


async def test_artifacts_and_runs_of_recorded_events_are_listed(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch
):
    settings = DatabaseSettings(database_url=empty_database_url)
    request = new_request()
    with monkeypatch.context() as patch:
        stop_at("0007", patch)
        await migrate(settings)
    database = Database(settings)
    log = EventLog(database.engine)
    await insert_event(database.engine, request)
    await migrate(settings)
    assert [run.run_id for run in await RunSummaries(database.engine).newest()] == [request.run_id]
    named = {ref.sha256: ref.media_type for ref in artifacts_in(request)}
    assert named
    assert {digest: await log.artifact_type(digest) for digest in named} == named
    assert await log.artifact_type("0" * 64) is None
    await database.stop()


async def test_migrated_tables_equal_the_models(empty_database_url: str):
    settings = DatabaseSettings(database_url=empty_database_url)
    await migrate(settings)
    engine = create_async_engine(settings.asyncpg_url)
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await engine.dispose()


async def test_missing_column_is_noticed(empty_database_url: str):
    settings = DatabaseSettings(database_url=empty_database_url)
    await migrate(settings)
    engine = create_async_engine(settings.asyncpg_url)
    await run(engine, "ALTER TABLE log.events DROP COLUMN schema_version CASCADE")
    async with engine.connect() as connection:
        assert "schema_version" in str(await connection.run_sync(differences))
    await engine.dispose()


def differences(connection: Connection) -> list[object]:
    def is_own(name: str | None, kind: str, _: object) -> bool:
        return kind != "schema" or name in SCHEMAS

    options: dict[str, object] = {"include_schemas": True, "compare_server_default": True, "include_name": is_own}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), Table.metadata))


async def test_migrated_schema_equals_the_golden_file(empty_database_url: str):
    assert await migrated_schema(empty_database_url) == read_golden(GOLDEN, SCHEMA_FILE)
