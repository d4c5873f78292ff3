"""Threads in Postgres: what was decided outlives the process."""

import asyncio

import pytest
from agent.checkpoints import PostgresCheckpoints
from chassis.testing import FakeBus
from contracts.engineering import CancelRequested
from contracts.session import CellRequested
from psycopg import AsyncConnection

from tests.agent.echo import Echo
from tests.agent.role_play import RolePlay, engineering_requested, seen_by


async def test_a_thread_goes_on_in_another_process(database_url: str) -> None:
    bus, request = FakeBus(), engineering_requested()
    before, after = PostgresCheckpoints(database_url), PostgresCheckpoints(database_url)
    await before.start()
    first = await RolePlay(Echo(), ["one"], bus, before).hear(request)
    await before.stop()
    await after.start()
    play = RolePlay(Echo(), ["two"], bus, after)
    assert await play.hear(request) == first
    assert play.chat.calls == 0
    await play.hear(CancelRequested.deciding(request, "planner", 900, reason="ask again"))
    assert [text for _, text in seen_by(play.chat)][1:] == ["one", "again"]
    await after.stop()


async def test_roles_that_start_at_once_set_up_one_after_the_other(empty_database_url: str) -> None:
    async with await AsyncConnection.connect(empty_database_url, autocommit=True) as connection:
        await connection.execute("CREATE SCHEMA IF NOT EXISTS checkpoints")
    several = [PostgresCheckpoints(empty_database_url) for _ in range(4)]
    await asyncio.gather(*(each.start() for each in several))
    try:
        async with await AsyncConnection.connect(empty_database_url) as connection:
            tables = await connection.execute(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = 'checkpoints'"
            )
            assert ("checkpoints",) in await tables.fetchall()
    finally:
        for each in several:
            await each.stop()


async def test_checkpoints_are_not_used_before_they_are_started(database_url: str) -> None:
    play = RolePlay(Echo(), ["one"], FakeBus(), PostgresCheckpoints(database_url))
    with pytest.raises(RuntimeError, match="before they were started"):
        await play.hear(engineering_requested())


async def test_text_that_postgres_refuses_is_remembered_all_the_same(database_url: str) -> None:
    checkpoints = PostgresCheckpoints(database_url)
    await checkpoints.start()
    play = RolePlay(Echo(), ["nul \x00 and \\u0000"], FakeBus(), checkpoints)
    request = engineering_requested()
    first = await play.hear(request)
    assert await play.hear(request) == first
    assert isinstance(first[0], CellRequested)
    assert first[0].code == "nul \x00 and \\u0000"
    await checkpoints.stop()
