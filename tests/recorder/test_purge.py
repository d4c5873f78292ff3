"""What has ended and is recorded leaves the stream, and nothing that comes late is fooled by that."""
# nats-py leaves its options untyped.
# pyright: reportUnknownMemberType=false

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from chassis.app import App
from chassis.recovery.purge import StreamPurge
from chassis.stream.provisioning import admin, provision
from chassis.stream.subjects import STREAM
from contracts.envelope import Event
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.events.simulation import SimulationFailed, SimulationRequested
from contracts.events.skill import SkillRejected
from nats.js import JetStreamContext
from recorder.app import make_app
from recorder.settings import Settings
from store.database import Database
from store.log import EventLog

from tests.chassis.conftest import Server
from tests.contracts.examples import full_examples
from tests.store.example_runs import failure_of, new_run, notes_of, success_of

EXAMPLES = full_examples()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "nats")
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def settings(own_server: Server, database_url: str) -> Settings:
    settings = Settings(
        nats_url=own_server.url,
        database_url=database_url,
        bus_retry_delay_s=0.05,
        bus_ack_wait_s=0.6,
        bus_watch_s=0.2,
        recorder_grace_s=0.5,
        recorder_purge_every_s=0.1,
    )
    await provision(settings)
    return settings


@pytest.fixture
async def log(settings: Settings) -> AsyncIterator[EventLog]:
    database = Database(settings)
    yield EventLog(database.engine)
    await database.stop()


@pytest.fixture
async def js(settings: Settings) -> AsyncIterator[JetStreamContext]:
    async with admin(settings) as js:
        yield js


@pytest.fixture
async def planner(settings: Settings) -> AsyncIterator[App]:
    """Somebody who publishes, and waits for a deadline of runs."""

    async def miss(_: EngineeringRequested) -> Sequence[Event]:
        raise AssertionError("a run that is purged has no deadline")

    app = App("planner", settings)
    app.schedules(EngineeringRequested, lambda _: datetime.now(UTC) + timedelta(seconds=0.3), miss)
    await app.start()
    yield app
    await app.stop()


@pytest.fixture
async def recorder(settings: Settings) -> AsyncIterator[App]:
    app = make_app(settings)
    await app.start()
    yield app
    await app.stop()


def story(request: EngineeringRequested) -> tuple[list[Event], RunSucceeded, SkillRejected]:
    """Return a run's beginning, its end and what was learned from it."""
    end = success_of(request)
    example = EXAMPLES[SkillRejected]
    assert isinstance(example, SkillRejected)
    learned = SkillRejected.answering(end, "skill-learner", reason=example.reason, detail="")
    return [request, *notes_of(request, 20)], end, learned


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    while not await true():  # noqa: ASYNC110 - servers tell nobody
        await asyncio.sleep(0.05)


async def test_an_ended_run_leaves_the_stream_but_its_end_and_the_answer_to_it(
    planner: App, recorder: App, log: EventLog, js: JetStreamContext
):
    request = new_run()
    begin, end, learned = story(request)
    late = notes_of(request, 25)[20:]
    for event in [*begin, end, *late, learned]:
        await planner.bus.publish(event)

    async def is_purged() -> bool:
        return await planner.bus.history(request.run_id) == [end, learned]

    await until(is_purged)
    assert await log.events_of(request.run_id) == [*begin, end, *late, learned]
    assert await planner.bus.ended(request.run_id) == end
    assert [event async for event in planner.bus.follow(request.run_id)] == [end]
    assert await recorder.health() == []

    async def nobody_waits_for_what_is_gone() -> bool:
        info = await js.consumer_info(STREAM, "planner-reminds-engineering-requested")
        return not info.num_ack_pending and not info.num_pending

    await until(nobody_waits_for_what_is_gone)


async def test_what_is_said_late_in_a_purged_run_is_recorded_and_not_acted_on(
    planner: App, recorder: App, log: EventLog, settings: Settings, js: JetStreamContext
):
    acted: list[UUID] = []

    async def simulate(asked: SimulationRequested) -> SimulationFailed:
        acted.append(asked.run_id)
        return SimulationFailed.answering(asked, "sim-worker", reason="scene_invalid", detail="")

    async def learn(success: RunSucceeded) -> SkillRejected:
        acted.append(success.run_id)
        return SkillRejected.answering(success, "skill-learner", reason="nothing_failed", detail="")

    worker, learner = App("sim-worker", settings), App("skill-learner", settings)
    worker.answers(SimulationRequested, simulate)
    learner.answers(RunSucceeded, learn, after_end=True)
    await worker.start()
    await learner.start()
    request = new_run()
    begin, end, learned = story(request)
    for event in [*begin, learned, end]:
        await planner.bus.publish(event)

    async def is_purged() -> bool:
        return await planner.bus.history(request.run_id) == [learned, end]

    await until(is_purged)
    example = EXAMPLES[SimulationRequested]
    assert isinstance(example, SimulationRequested)
    late = example.model_copy(update={"id": uuid4(), "run_id": request.run_id})
    alive = example.model_copy(update={"id": uuid4(), "run_id": uuid4()})
    await planner.bus.publish(late)
    await js.delete_consumer(STREAM, "skill-learner-run-succeeded")
    assert isinstance(await planner.bus.ask(alive), SimulationFailed)

    async def learner_is_back_and_done() -> bool:
        infos = {info.name: info for info in await js.consumers_info(STREAM)}
        info = infos.get("skill-learner-run-succeeded")
        return info is not None and not info.num_pending and not info.num_ack_pending

    await until(learner_is_back_and_done)
    assert acted == [alive.run_id]

    async def late_is_recorded() -> bool:
        return late in await log.events_of(request.run_id)

    await until(late_is_recorded)
    await worker.stop()
    await learner.stop()


async def test_a_failure_goes_at_once_and_a_success_only_when_it_was_learned_from(planner: App, recorder: App):
    failed, solved = new_run(), new_run()
    failure, (begin, success, learned) = failure_of(failed), story(solved)
    for event in [*begin, success, failed, failure]:
        await planner.bus.publish(event)

    async def history() -> list[Event]:
        return await planner.bus.history(failed.run_id)

    async def failure_is_purged() -> bool:
        return await history() == [failure]

    await until(failure_is_purged)
    assert await planner.bus.history(solved.run_id) == [*begin, success]
    await planner.bus.publish(learned)

    async def success_is_purged() -> bool:
        return await planner.bus.history(solved.run_id) == [success, learned]

    await until(success_is_purged)


async def test_ends_go_at_last(planner: App, settings: Settings):
    recorder = make_app(settings.model_copy(update={"recorder_ends_kept_s": 1.0}))
    await recorder.start()
    request = new_run()
    for event in [request, failure_of(request)]:
        await planner.bus.publish(event)

    async def nothing_is_left() -> bool:
        return await planner.bus.history(request.run_id) == []

    await until(nothing_is_left)
    await recorder.stop()


async def test_nothing_goes_while_nobody_records(planner: App, js: JetStreamContext):
    request = new_run()
    await planner.bus.publish(request)
    await planner.bus.publish(failure_of(request))
    purging = StreamPurge(lambda: js, "recorder-records")
    assert await purging.settled_up_to() == 0
    assert await purging.purge(request.run_id, await purging.settled_up_to()) is False
    assert len(await planner.bus.history(request.run_id)) == 2
