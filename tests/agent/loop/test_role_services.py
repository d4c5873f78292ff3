"""Tests of the role services on real servers: each app.py consumes what a run needs."""
# nats-py comes without complete types:
# pyright: reportUnknownMemberType=false

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import critic.app
import critic.settings
import engineer.app
import engineer.settings
import nats
import planner.app
import planner.settings
import pytest
import skill_learner.app
import skill_learner.settings
from artifacts.settings import S3Settings
from chassis.app import App
from chassis.settings import BusSettings
from chassis.subjects import run_filter
from contracts.envelope import Event, deciding
from contracts.events.conversation import ModelCalled
from contracts.events.plan import PlanApproved, PlanProposed
from contracts.events.run import (
    CancelRequested,
    EngineeringRequested,
    EngineeringStarted,
    EnvironmentBuilt,
    EnvironmentRequested,
    RunFailed,
    WorldChecked,
)
from contracts.events.session import CellRequested, SessionOpened, SessionRequested
from nats.aio.msg import Msg

from tests.agent.example_artifacts import store_example_artifacts
from tests.agent.role_harness import engineering_requested
from tests.simulation.doubles.services import build_environment, check_world, open_session


@pytest.fixture
async def world(
    nats_url: str, database_url: str, s3_settings: S3Settings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[App]:
    """The roles, and in place of the workers one app that answers with a built environment and an open session."""
    monkeypatch.setenv("OPENAI_API_KEY", "")  # as compose passes unset variables
    settings = s3_settings.model_dump() | {"nats_url": nats_url, "database_url": database_url}
    roles = [
        planner.app.make_app(planner.settings.Settings.model_validate(settings)),
        critic.app.make_app(critic.settings.Settings.model_validate(settings)),
        engineer.app.make_app(engineer.settings.Settings.model_validate(settings)),
        skill_learner.app.make_app(skill_learner.settings.Settings.model_validate(settings)),
    ]
    workers = App("workers", BusSettings(nats_url=nats_url))
    workers.answers(EnvironmentRequested, build_environment)
    workers.answers(EnvironmentBuilt, check_world)
    workers.answers(SessionRequested, open_session)
    started: list[App] = []
    try:
        for app in (workers, *roles):
            await app.start()
            started.append(app)
        await asyncio.to_thread(store_example_artifacts, s3_settings)
        yield workers
    finally:
        for app in reversed(started):
            await app.stop()


async def test_offline_roles_reach_the_first_cell_and_stop_on_cancellation(world: App) -> None:
    events = await _run_until_first_cell(world, engineering_requested(model="offline"))
    kinds = [type(event) for event in events]
    for kind in (EnvironmentBuilt, WorldChecked, PlanProposed, PlanApproved, SessionOpened, CellRequested):
        assert kinds.count(kind) == 1
    assert [event.role for event in events if isinstance(event, ModelCalled)] == ["planner", "critic", "engineer"]
    assert isinstance(events[-1], RunFailed)
    assert events[-1].reason == "cancelled"
    known = {event.id for event in events}
    assert all(event.causation_id in known for event in events[1:])


async def test_each_decision_is_sent_to_the_server_once(world: App, nats_url: str) -> None:
    """A subscriber without JetStream also receives what the stream refuses as a duplicate."""
    request = engineering_requested(model="offline")
    sent: Counter[str] = Counter()

    async def count(message: Msg) -> None:
        sent[message.subject] += 1

    client = await nats.connect(nats_url)
    try:
        await client.subscribe(run_filter(request.run_id), cb=count)
        await client.flush()
        events = await _run_until_first_cell(world, request)
        await asyncio.sleep(0.5)  # for a second publication of the last ones
    finally:
        await client.close()
    decided = [event.full_subject for event in events if event.producer in {"planner", "critic", "engineer"}]
    assert len(decided) >= 10
    assert {subject: sent[subject] for subject in decided} == dict.fromkeys(decided, 1)


async def _run_until_first_cell(world: App, request: EngineeringRequested) -> list[Event]:
    """Return the events of a run that is cancelled at the engineer's first cell."""
    await world.bus.publish(request)
    events: list[Event] = []
    async for event in world.bus.follow(request.run_id):
        events.append(event)
        if isinstance(event, CellRequested):
            await world.bus.publish(CancelRequested(**deciding(event, "planner", 901), reason="seen enough"))
    return events


@pytest.mark.parametrize(
    ("model", "remedy"),
    [("llama", "openai:NAME"), ("openai:any", "set OPENAI_API_KEY (in containers: in deploy/.env, and bring")],
)
async def test_unusable_model_fails_the_run_at_once(world: App, model: str, remedy: str) -> None:
    request = engineering_requested(model=model)
    await world.bus.publish(request)
    events = [event async for event in world.bus.follow(request.run_id)]
    end = events[-1]
    assert isinstance(end, RunFailed)
    assert (end.reason, [type(event) for event in events[1:-1]]) == ("model_failed", [EngineeringStarted])
    assert remedy in end.detail
