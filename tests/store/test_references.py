"""Every place in the database that may name an artifact is read when artifacts are collected."""

from contracts.models.artifact import ArtifactRef
from store.database import Database
from store.log import EventLog, UnreadableMessage
from store.references import recorded_texts
from store.retention import unfinished_runs
from store.skills.versions import NewSkill, Skills

from tests.store.example_runs import log_entries, new_request, run_failure, run_success


async def test_events_skills_and_unreadable_messages_are_read(database: Database) -> None:
    request, digest = new_request(), "5" * 64
    success = run_success(request)
    unreadable = UnreadableMessage(subject="mw.x", stream_sequence=9, data=b"of the future", reason="unknown")
    await EventLog(database.engine).append(log_entries(request, success), [unreadable])
    skill_md = ArtifactRef(sha256=digest, media_type="text/markdown", size_bytes=1)
    await Skills(database.engine).learn(
        NewSkill(
            name="kept", for_role="engineer", description="x", digest=digest, artifact=skill_md, learned_from=request.id
        )
    )
    texts = [text async for text in recorded_texts(database.engine)]
    assert success.model_dump_json().encode() in texts
    assert b"of the future" in texts
    assert any(digest.encode() in text for text in texts)


async def test_run_without_an_end_is_unfinished(database: Database) -> None:
    open_run, ended = new_request(), new_request()
    await EventLog(database.engine).append(log_entries(open_run, ended, run_failure(ended)))
    found = await unfinished_runs(database.engine)
    assert open_run.run_id in found
    assert ended.run_id not in found
