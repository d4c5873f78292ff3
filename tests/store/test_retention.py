"""Which part of the log the stream has to hold."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

import pytest
from contracts.envelope import Event
from contracts.events.skill import SkillRejected
from sqlalchemy import text
from store.database import Database
from store.log import EventLog
from store.retention import RebuildInProgressError, RetentionPolicy
from store.settings import RetentionSettings

from tests.store.example_runs import entries, failure_of, new_run, notes_of, success_of

GRACE_S, KEPT_S = 3600.0, 7200.0


@pytest.fixture
def keeping(database: Database, database_url: str) -> RetentionPolicy:
    settings = RetentionSettings(database_url=database_url, recorder_grace_s=GRACE_S, recorder_ends_kept_s=KEPT_S)
    return RetentionPolicy(database.engine, settings)


async def record(database: Database, events: Sequence[Event], age_s: float = 0.0) -> UUID:
    """Record a run as it would have been so many seconds ago."""
    await EventLog(database.engine).append(entries(*events))
    async with database.engine.begin() as connection:
        older = text("UPDATE log.events SET recorded_at = now() - make_interval(secs => :age) WHERE run_id = :run")
        await connection.execute(older, {"age": age_s, "run": events[0].run_id})
    return events[0].run_id


async def test_runs_in_flight_and_just_ended_are_kept_whole_and_of_others_the_ends(
    database: Database, keeping: RetentionPolicy
) -> None:
    going, recent, earlier, ancient = (new_run() for _ in range(4))
    success = success_of(earlier)
    answer = SkillRejected.answering(success, "skill-learner", reason="nothing_failed", detail="")
    in_flight: list[Event] = [going, *notes_of(going, 150)]
    await record(database, in_flight, age_s=10 * KEPT_S)
    await record(database, [recent, *notes_of(recent, 2), failure_of(recent)])
    await record(database, [earlier, *notes_of(earlier, 2), success, answer], age_s=GRACE_S + 60)
    await record(database, [ancient, failure_of(ancient)], age_s=KEPT_S + 60)
    part = await keeping.current_slice()
    ours = {run.run_id for run in (going, recent, earlier, ancient)}
    assert part.runs & ours == {going.run_id, recent.run_id}
    held = [message async for message in keeping.messages(part)]
    assert len(held) == await keeping.count(part)
    subjects = [message.subject for message in held if UUID(message.subject.split(".")[3]) in ours]
    whole = [*in_flight, recent, *notes_of(recent, 2), failure_of(recent)]
    assert sorted(subjects) == sorted(event.full_subject for event in [*whole, success, answer])
    of_going = [message.body for message in held if f".{going.run_id}." in message.subject]
    assert of_going == [entry.body for entry in entries(*in_flight)]


async def test_a_run_is_over_after_its_grace_and_its_lesson(database: Database, keeping: RetentionPolicy) -> None:
    failed, unlearned, learned = new_run(), new_run(), new_run()
    success = success_of(learned)
    answer = SkillRejected.answering(success, "skill-learner", reason="nothing_failed", detail="")
    old = [
        await record(database, events, age_s=GRACE_S + 60)
        for events in ([failed, failure_of(failed)], [unlearned, success_of(unlearned)], [learned, success, answer])
    ]
    young = new_run()
    await record(database, [young, failure_of(young)])
    assert await keeping.purgeable_runs({*old, young.run_id}) == {failed.run_id, learned.run_id}
    assert await keeping.runs_with_expired_end(set(old)) == set()
    await record(database, [failed], age_s=KEPT_S + 60)
    assert await keeping.runs_with_expired_end(set(old)) == {failed.run_id}


async def test_two_never_rebuild_at_once(keeping: RetentionPolicy) -> None:
    async with keeping.rebuild_lock():
        with pytest.raises(RebuildInProgressError, match="another process is rebuilding"):
            async with keeping.rebuild_lock():
                await asyncio.sleep(0)
    async with keeping.rebuild_lock():
        pass
