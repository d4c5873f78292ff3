"""Retention: which part of the event log the stream holds."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

import pytest
from contracts.envelope import Event, answering, deciding, during
from contracts.events.benchmark import BenchmarkBrief, BenchmarkSessionRequested
from contracts.events.session import SessionClosed, SessionFailed, SessionOpened
from contracts.events.skill import SkillRejected
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool
from store.database import Database
from store.log import EventLog
from store.migrate import migrate
from store.retention import RebuildInProgressError, RetentionPolicy
from store.settings import DatabaseSettings, RetentionSettings

from tests.store.example_runs import log_entries, new_request, run_failure, run_success, session_events

GRACE_S, KEPT_S = 3600.0, 7200.0


@pytest.fixture
def retention(database: Database, database_url: str) -> RetentionPolicy:
    settings = RetentionSettings(database_url=database_url, recorder_grace_s=GRACE_S, recorder_ends_kept_s=KEPT_S)
    return RetentionPolicy(database.engine, settings)


async def record(database: Database, events: Sequence[Event], age_s: float = 0.0) -> UUID:
    """Record a run as if that had happened `age_s` seconds ago."""
    await EventLog(database.engine).append(log_entries(*events))
    async with database.engine.begin() as connection:
        older = text("UPDATE log.events SET recorded_at = now() - make_interval(secs => :age) WHERE run_id = :run")
        await connection.execute(older, {"age": age_s, "run": events[0].run_id})
    return events[0].run_id


async def test_slice_has_open_and_recent_runs_and_older_ends(database: Database, retention: RetentionPolicy) -> None:
    open_run, recent, earlier, ancient = (new_request() for _ in range(4))
    success = run_success(earlier)
    answer = SkillRejected(**answering(success, "skill-learner"), reason="nothing_failed", detail="")
    open_events: list[Event] = [open_run, *session_events(open_run, 150)]
    await record(database, open_events, age_s=10 * KEPT_S)
    await record(database, [recent, *session_events(recent, 2), run_failure(recent)])
    await record(database, [earlier, *session_events(earlier, 2), success, answer], age_s=GRACE_S + 60)
    await record(database, [ancient, run_failure(ancient)], age_s=KEPT_S + 60)
    part = await retention.current_slice()
    ours = {run.run_id for run in (open_run, recent, earlier, ancient)}
    assert part.runs & ours == {open_run.run_id, recent.run_id}
    held = [message async for message in retention.messages(part)]
    assert len(held) == await retention.count(part)
    subjects = [message.subject for message in held if UUID(message.subject.split(".")[3]) in ours]
    whole = [*open_events, recent, *session_events(recent, 2), run_failure(recent)]
    assert sorted(subjects) == sorted(event.full_subject for event in [*whole, success, answer])
    of_open_run = [message.body for message in held if f".{open_run.run_id}." in message.subject]
    assert of_open_run == [entry.body for entry in log_entries(*open_events)]


async def test_run_is_purgeable_after_grace_and_skill_answer(database: Database, retention: RetentionPolicy) -> None:
    failed, unlearned, learned = new_request(), new_request(), new_request()
    success = run_success(learned)
    answer = SkillRejected(**answering(success, "skill-learner"), reason="nothing_failed", detail="")
    old = [
        await record(database, events, age_s=GRACE_S + 60)
        for events in ([failed, run_failure(failed)], [unlearned, run_success(unlearned)], [learned, success, answer])
    ]
    young = new_request()
    await record(database, [young, run_failure(young)])
    assert await retention.purgeable_runs({*old, young.run_id}) == {failed.run_id, learned.run_id}
    assert await retention.runs_with_expired_end(set(old)) == set()
    await record(database, [failed], age_s=KEPT_S + 60)
    assert await retention.runs_with_expired_end(set(old)) == {failed.run_id}


async def test_run_with_an_open_session_is_kept_and_one_whose_kernel_failed_is_purged(
    database: Database, retention: RetentionPolicy
) -> None:
    old: dict[str, UUID] = {}
    for name in ("open", "closed", "failed"):
        asked = new_request()
        brief = BenchmarkBrief(task="a gap", level=1)
        session = BenchmarkSessionRequested(
            **deciding(asked, "benchmark-generator", 1), brief=brief, plan_md="# Plan", todo_md="# TODO"
        )
        opened = SessionOpened(**answering(session, "cad-worker"), ready_s=0.1, files=())
        closed = SessionClosed(**during(session, "closed", "cad-worker"), reason="run_ended")
        failed = SessionFailed(**answering(session, "cad-worker"), reason="kernel_failed", detail="no memory")
        seen: dict[str, list[Event]] = {"open": [opened], "closed": [opened, closed], "failed": [failed]}
        old[name] = await record(database, [asked, session, *seen[name], run_failure(asked)], age_s=GRACE_S + 60)
    assert await retention.purgeable_runs(set(old.values())) == {old["closed"], old["failed"]}


async def test_rebuild_lock_excludes_a_second_rebuild(retention: RetentionPolicy) -> None:
    async with retention.rebuild_lock():
        with pytest.raises(RebuildInProgressError):
            async with retention.rebuild_lock():
                await asyncio.sleep(0)
    async with retention.rebuild_lock():
        pass


async def test_rebuild_reads_each_recorded_row_a_few_times(empty_database_url: str) -> None:
    """Reading page by page must not sort all runs for each page: with many open runs that took half an hour."""
    settings = RetentionSettings(database_url=empty_database_url)
    await migrate(settings)
    database = Database(settings)
    runs = [new_request() for _ in range(40)]
    for number, run in enumerate(runs):
        entries = log_entries(run, *session_events(run, 99), first_sequence=100 * number + 1)
        await EventLog(database.engine).append(entries)
    await _run(database, "ANALYZE log.events")
    retention = RetentionPolicy(database.engine, settings)
    part = await retention.current_slice()
    before = await _rows_read(empty_database_url)
    held = [message async for message in retention.messages(part)]
    await database.stop()
    assert len(held) == 4000
    assert await _rows_read(empty_database_url) - before <= 4 * len(held)


async def _run(database: Database, statement: str) -> None:
    async with database.engine.begin() as connection:
        await connection.execute(text(statement))


async def _rows_read(database_url: str) -> int:
    """Return how many rows of the log Postgres has read; a session counts once it has ended."""
    engine = create_async_engine(DatabaseSettings(database_url=database_url).asyncpg_url, poolclass=NullPool)
    query = "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relid = 'log.events'::regclass"
    await asyncio.sleep(0.2)
    async with engine.connect() as connection:
        return int(await connection.scalar(text(query)) or 0)
