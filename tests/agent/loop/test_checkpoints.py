"""Tests of checkpoints in Postgres: threads outlive their process."""

import asyncio
from uuid import UUID

import pytest
from agent.loop.checkpoints import CHECKPOINTS_UNAVAILABLE, CheckpointsUnavailableError, PostgresCheckpoints
from artifacts.settings import S3Settings
from chassis.errors import ChassisError
from chassis.testing import FakeBus
from contracts.envelope import Event, Role, deciding, request_id
from contracts.events.run import CancelRequested
from contracts.events.session import CellRequested
from local_stack.servers.ports import free_ports
from planner.app import make_app
from planner.settings import Settings
from psycopg import AsyncConnection
from psycopg.sql import SQL, Identifier

from tests.agent.echo_role import EchoRole
from tests.agent.role_harness import RoleHarness, engineering_requested, last_prompt


async def test_thread_continues_in_another_process(database_url: str) -> None:
    bus, request = FakeBus(), engineering_requested()
    before, after = PostgresCheckpoints(database_url, "engineer"), PostgresCheckpoints(database_url, "engineer")
    await before.start()
    first = await RoleHarness(EchoRole(), ["one"], bus, before).consume(request)
    await before.stop()
    await after.start()
    harness = RoleHarness(EchoRole(), ["two"], bus, after)
    assert await harness.consume(request) == first
    assert harness.chat.calls == 0
    await harness.consume(CancelRequested(**deciding(request, "planner", 900), reason="ask again"))
    assert [text for _, text in last_prompt(harness.chat)][1:] == ["one", "again"]
    await after.stop()


async def test_concurrent_starts_set_up_tables_one_at_a_time(empty_database_url: str) -> None:
    roles: tuple[Role, ...] = ("engineer", "engineer", "critic", "skill-learner")
    schemas = {"checkpoints_engineer", "checkpoints_critic", "checkpoints_skill_learner"}
    async with await AsyncConnection.connect(empty_database_url, autocommit=True) as connection:
        for schema in schemas:
            await connection.execute(SQL("CREATE SCHEMA {}").format(Identifier(schema)))
    several = [PostgresCheckpoints(empty_database_url, role) for role in roles]
    await asyncio.gather(*(each.start() for each in several))
    try:
        async with await AsyncConnection.connect(empty_database_url) as connection:
            found = await connection.execute(
                "SELECT table_schema FROM information_schema.tables WHERE table_name = 'checkpoints'"
            )
            assert {schema for (schema,) in await found.fetchall()} == schemas
    finally:
        for each in several:
            await each.stop()


async def test_missing_schema_is_reported_with_the_remedy(empty_database_url: str) -> None:
    checkpoints = PostgresCheckpoints(empty_database_url, "skill-learner")
    with pytest.raises(CheckpointsUnavailableError, match=r"_skill_learner.*`millwright migrate`"):
        await checkpoints.start()
    await checkpoints.stop()


async def test_saver_before_start_raises(database_url: str) -> None:
    harness = RoleHarness(EchoRole(), ["one"], FakeBus(), PostgresCheckpoints(database_url, "engineer"))
    with pytest.raises(RuntimeError, match="before they were started"):
        await harness.consume(engineering_requested())


async def test_text_that_postgres_rejects_is_checkpointed(database_url: str) -> None:
    checkpoints = PostgresCheckpoints(database_url, "engineer")
    await checkpoints.start()
    harness = RoleHarness(EchoRole(), ["nul \x00 and \\u0000"], FakeBus(), checkpoints)
    request = engineering_requested()
    first = await harness.consume(request)
    assert await harness.consume(request) == first
    assert isinstance(first[0], CellRequested)
    assert first[0].code == "nul \x00 and \\u0000"
    await checkpoints.stop()


async def test_old_checkpoints_are_pruned_and_ended_runs_deleted(database_url: str) -> None:
    checkpoints = PostgresCheckpoints(database_url, "engineer")
    await checkpoints.start()
    harness = RoleHarness(EchoRole(), ["one"], FakeBus(), checkpoints)
    request, other = engineering_requested(), engineering_requested()
    await harness.threads.advance(CancelRequested(**deciding(other, "planner", 900)))
    sizes: list[dict[str, int]] = []
    for event in (request, *(CancelRequested(**deciding(request, "planner", 900, number)) for number in range(5))):
        await harness.consume(event)
        sizes.append(await _rows(database_url, request.run_id))
    assert sizes[-1]["checkpoints"] == 1
    assert sizes[-1] == sizes[2]
    await harness.threads.forget(request)
    assert set((await _rows(database_url, request.run_id)).values()) == {0}
    assert (await _rows(database_url, other.run_id))["checkpoints"] == 1
    await checkpoints.stop()


async def test_concurrent_processes_consume_every_event_once(database_url: str) -> None:
    several = [PostgresCheckpoints(database_url, "engineer") for _ in range(3)]
    bus, request = FakeBus(), engineering_requested()
    for each in several:
        await each.start()
    harnesses = [RoleHarness(EchoRole(), [], bus, each) for each in several]
    for number in range(5):
        cancellations = [CancelRequested(**deciding(request, "planner", 900 + process, number)) for process in range(3)]
        await asyncio.gather(
            *(harness.consume(cancellation) for harness, cancellation in zip(harnesses, cancellations, strict=True))
        )
    steps = {event.id for event in bus.events if isinstance(event, CellRequested)}
    assert steps == {request_id(request.run_id, "engineer", step, 1) for step in range(15)}
    for each in several:
        await each.stop()


async def test_postgres_outage_is_retried_until_it_is_back(empty_database_url: str) -> None:
    server, _, name = empty_database_url.rpartition("/")
    async with (
        await AsyncConnection.connect(empty_database_url, autocommit=True) as inside,
        await AsyncConnection.connect(f"{server}/postgres", autocommit=True) as outside,
    ):
        await inside.execute("CREATE SCHEMA checkpoints_engineer")
        checkpoints = PostgresCheckpoints(empty_database_url, "engineer")
        await checkpoints.start()
        harness, request = RoleHarness(EchoRole(), ["one", "two"], FakeBus(), checkpoints), engineering_requested()
        await harness.consume(request)
        await outside.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(Identifier(name)))
        await outside.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        cancellation = CancelRequested(**deciding(request, "planner", 900), reason="ask again")
        with pytest.raises(CHECKPOINTS_UNAVAILABLE):
            await harness.consume(cancellation)
        await outside.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(Identifier(name)))
        async with asyncio.timeout(30):
            while not await _is_consumed(harness, cancellation):  # noqa: ASYNC110 - the database is on a server
                await asyncio.sleep(0.2)
        assert harness.chat.calls == 2
        await checkpoints.stop()


async def test_start_without_postgres_names_the_database_in_one_line(nats_url: str, s3_settings: S3Settings) -> None:
    (port,) = free_ports(1)  # nothing listens there
    given = {"nats_url": nats_url, "database_url": f"postgresql://me:secret@127.0.0.1:{port}/runs"}
    patience = {"database_connect_timeout_s": 0.5}
    app = make_app(Settings.model_validate({**s3_settings.model_dump(), **given, **patience}))
    with pytest.raises(ChassisError) as refused:  # `chassis.process.run` prints it, and exits with 2
        await app.start()
    for named in (f"127.0.0.1:{port}/runs", "0.5 s", "DATABASE_CONNECT_TIMEOUT_S", "DATABASE_URL"):
        assert named in str(refused.value)
    assert "secret" not in str(refused.value)


async def _is_consumed(harness: RoleHarness, event: Event) -> bool:
    try:
        await harness.consume(event)
    except CHECKPOINTS_UNAVAILABLE:
        return False
    return True


async def _rows(database_url: str, run_id: UUID) -> dict[str, int]:
    """Return how many rows each table has for the engineer's thread of a run."""
    counted: dict[str, int] = {}
    async with await AsyncConnection.connect(database_url) as connection:
        for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            statement = SQL("SELECT count(*) FROM checkpoints_engineer.{} WHERE thread_id = %s").format(
                Identifier(table)
            )
            row = await (await connection.execute(statement, (f"{run_id}:engineer",))).fetchone()
            assert row is not None
            counted[table] = row[0]
    return counted
