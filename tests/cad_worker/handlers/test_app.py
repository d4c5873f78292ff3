"""The service on a real broker and a real store: environment, session, cell, submission, verdict, end."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from cad_worker.app import make_app
from cad_worker.settings import Settings
from chassis.app import App
from chassis.settings import BusSettings
from contracts.events.design import DesignSubmitted, DesignValidated
from contracts.events.run import EnvironmentBuilt, EnvironmentRequested, RunFailed
from contracts.events.session import (
    CellCompleted,
    CellRequested,
    FileWriteRequested,
    FileWritten,
    SessionClosed,
    SessionOpened,
    SessionRequested,
)
from contracts.models.benchmark import Assignment
from contracts.models.submission import Submission

from tests.support.kernel_world import ENVIRONMENT_CODE, GOOD_SCRIPT, assignment

SUBMIT = "from script import assembly\nfrom utils import submit_for_review\nsubmit_for_review(assembly)"


async def engineer(asker: App, run_id: UUID, task: Assignment) -> DesignValidated:
    """Do what planner and engineer do, and return the verdict."""
    by_planner: dict[str, Any] = {"run_id": run_id, "role": "planner", "producer": "planner"}
    by_engineer: dict[str, Any] = {"run_id": run_id, "role": "engineer", "producer": "engineer"}
    built = await asker.bus.ask(EnvironmentRequested(id=uuid4(), assignment=task, **by_planner))
    assert isinstance(built, EnvironmentBuilt), built
    world: dict[str, Any] = {"assignment": task, "environment": built.environment}
    opened = await asker.bus.ask(SessionRequested(id=uuid4(), plan_md="", todo_md="", **world, **by_engineer))
    assert isinstance(opened, SessionOpened), opened
    written = await asker.bus.ask(FileWriteRequested(id=uuid4(), path="script.py", text=GOOD_SCRIPT, **by_engineer))
    assert isinstance(written, FileWritten), written
    done = await asker.bus.ask(CellRequested(id=uuid4(), purpose="submit", code=SUBMIT, **by_engineer))
    assert isinstance(done, CellCompleted), done
    assert isinstance(done.ending, Submission), done.observation
    verdict = await asker.bus.ask(
        DesignSubmitted(id=uuid4(), model="offline", submission=done.ending, **world, **by_engineer)
    )
    assert isinstance(verdict, DesignValidated), verdict
    return verdict


@pytest.mark.asyncio(loop_scope="session")
async def test_app_takes_a_design_from_environment_to_verdict(nats_url: str, s3_settings: S3Settings) -> None:
    settings = Settings.model_validate({**s3_settings.model_dump(), "nats_url": nats_url})
    worker, asker, artifacts = make_app(settings), App("asker", BusSettings(nats_url=nats_url)), Artifacts(s3_settings)
    for each in (artifacts, worker, asker):
        await each.start()
    try:
        assert await worker.health() == []
        run_id = uuid4()
        code = await artifacts.put(ENVIRONMENT_CODE.encode(), "text/x-python")
        verdict = await engineer(asker, run_id, assignment(code))
        assert verdict.bill.lines[0].label == "plate"
        await asker.bus.publish(
            RunFailed(id=uuid4(), run_id=run_id, role="planner", producer="test", reason="cancelled", detail="done")
        )
        published = [event async for event in asker.bus.follow(run_id, linger_s=3.0)]
        assert sum(isinstance(event, SessionClosed) for event in published) == 1
    finally:
        for each in (asker, worker, artifacts):
            await each.stop()
