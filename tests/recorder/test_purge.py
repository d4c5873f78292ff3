"""Purging ended runs from the stream, and late events of purged runs."""
# nats-py does not type its options.
# pyright: reportUnknownMemberType=false

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import nats
import pytest
from chassis.administration.provisioning import connect_as_admin, provision
from chassis.app import App
from chassis.recovery.purge import StreamPurge
from chassis.subjects import STREAM
from contracts.envelope import Event, answering, during
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.session import SessionClosed, SessionRequested
from contracts.events.simulation import SimulationFailed, SimulationRequested
from contracts.events.skill import SkillRejected
from nats.js import JetStreamContext
from recorder.app import make_app
from recorder.settings import Settings
from store.log import EventLog

from tests.contracts.examples import full_examples
from tests.store.example_runs import new_request, run_failure, run_success, session_events
from tests.support.clusters.nats_server import NatsServer

EXAMPLES = full_examples()


@pytest.fixture
async def settings(bare_server: NatsServer, database_url: str) -> Settings:
    settings = Settings(
        nats_url=bare_server.url,
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
async def js(settings: Settings) -> AsyncIterator[JetStreamContext]:
    async with connect_as_admin(settings) as js:
        yield js


@pytest.fixture
async def planner(settings: Settings) -> AsyncIterator[App]:
    """A planner that publishes, and schedules a handler for the deadline of runs."""

    async def on_deadline(_: EngineeringRequested) -> Sequence[Event]:
        raise AssertionError("a purged run reached its deadline")

    app = App("planner", settings)
    app.schedules(EngineeringRequested, lambda _: datetime.now(UTC) + timedelta(seconds=0.3), on_deadline)
    await app.start()
    yield app
    await app.stop()


def events_of_run(request: EngineeringRequested) -> tuple[list[Event], RunSucceeded, SkillRejected]:
    """Return the first events of a run, its end, and the outcome of the end."""
    end = run_success(request)
    example = EXAMPLES[SkillRejected]
    assert isinstance(example, SkillRejected)
    learned = SkillRejected(**answering(end, "skill-learner"), reason=example.reason, detail="")
    return [request, *session_events(request, 20)], end, learned


async def wait_until(condition: Callable[[], Awaitable[bool]]) -> None:
    while not await condition():  # noqa: ASYNC110 - servers send no notification
        await asyncio.sleep(0.05)


async def test_purged_run_keeps_its_end_and_outcome_in_the_stream(
    planner: App, recorder: App, log: EventLog, js: JetStreamContext
):
    request = new_request()
    begin, end, learned = events_of_run(request)
    late = session_events(request, 25)[20:]
    for event in [*begin, end, *late, learned]:
        await planner.bus.publish(event)

    async def is_purged() -> bool:
        return await planner.bus.history(request.run_id) == [end, learned]

    await wait_until(is_purged)
    assert await log.events_of(request.run_id) == [*begin, end, *late, learned]
    assert await planner.bus.ended(request.run_id) == end
    assert [event async for event in planner.bus.follow(request.run_id)] == [end]
    assert await recorder.health() == []

    async def deadline_consumer_is_idle() -> bool:
        info = await js.consumer_info(STREAM, "planner-reminds-engineering-requested")
        return not info.num_ack_pending and not info.num_pending

    await wait_until(deadline_consumer_is_idle)


async def test_late_event_of_purged_run_is_recorded_but_not_handled(
    planner: App, recorder: App, log: EventLog, settings: Settings, js: JetStreamContext
):
    handled: list[UUID] = []

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        handled.append(request.run_id)
        return SimulationFailed(**answering(request, "sim-worker"), reason="scene_invalid", detail="")

    async def learn(success: RunSucceeded) -> SkillRejected:
        handled.append(success.run_id)
        return SkillRejected(**answering(success, "skill-learner"), reason="nothing_failed", detail="")

    worker, learner = App("sim-worker", settings), App("skill-learner", settings)
    worker.answers(SimulationRequested, simulate)
    learner.answers(RunSucceeded, learn, after_end=True)
    await worker.start()
    await learner.start()
    request = new_request()
    begin, end, learned = events_of_run(request)
    for event in [*begin, learned, end]:
        await planner.bus.publish(event)

    async def is_purged() -> bool:
        return await planner.bus.history(request.run_id) == [learned, end]

    await wait_until(is_purged)
    example = EXAMPLES[SimulationRequested]
    assert isinstance(example, SimulationRequested)
    late = example.model_copy(update={"id": uuid4(), "run_id": request.run_id})
    of_open_run = example.model_copy(update={"id": uuid4(), "run_id": uuid4()})
    await planner.bus.publish(late)
    await js.delete_consumer(STREAM, "skill-learner-run-succeeded")
    assert isinstance(await planner.bus.ask(of_open_run), SimulationFailed)

    async def learner_is_restored_and_idle() -> bool:
        infos = {info.name: info for info in await js.consumers_info(STREAM)}
        info = infos.get("skill-learner-run-succeeded")
        return info is not None and not info.num_pending and not info.num_ack_pending

    await wait_until(learner_is_restored_and_idle)
    assert handled == [of_open_run.run_id]

    async def late_is_recorded() -> bool:
        return late in await log.events_of(request.run_id)

    await wait_until(late_is_recorded)
    await worker.stop()
    await learner.stop()


async def test_successful_run_is_purged_only_after_its_outcome(planner: App, recorder: App):
    failed, solved = new_request(), new_request()
    failure, (begin, success, learned) = run_failure(failed), events_of_run(solved)
    for event in [*begin, success, failed, failure]:
        await planner.bus.publish(event)

    async def history() -> list[Event]:
        return await planner.bus.history(failed.run_id)

    async def failure_is_purged() -> bool:
        return await history() == [failure]

    await wait_until(failure_is_purged)
    assert await planner.bus.history(solved.run_id) == [*begin, success]
    await planner.bus.publish(learned)

    async def success_is_purged() -> bool:
        return await planner.bus.history(solved.run_id) == [success, learned]

    await wait_until(success_is_purged)


async def test_stuck_consumer_of_ends_stops_no_purge(planner: App, recorder: App, settings: Settings) -> None:
    stuck, freed = asyncio.Event(), asyncio.Event()

    async def hang(_: RunFailed) -> Sequence[Event]:
        stuck.set()
        await freed.wait()
        return []

    critic = App("critic", settings)
    critic.subscribes(RunFailed, hang)
    await critic.start()
    first, second = new_request(), new_request()
    for request in (first, second):
        for event in (request, *session_events(request, 3), run_failure(request)):
            await planner.bus.publish(event)
    await stuck.wait()
    for request in (first, second):

        async def is_purged(request: EngineeringRequested = request) -> bool:
            return await planner.bus.history(request.run_id) == [await planner.bus.ended(request.run_id)]

        await wait_until(is_purged)
    freed.set()
    await critic.stop()


async def test_run_with_an_open_session_is_purged_once_it_is_closed(planner: App, recorder: App) -> None:
    """cad-worker reads the run's events to close a session whose worker has died."""
    waiting, other = new_request(), new_request()
    example = EXAMPLES[SessionRequested]
    assert isinstance(example, SessionRequested)
    session = example.model_copy(update={"id": uuid4(), "run_id": waiting.run_id})
    end = run_failure(waiting)
    for event in (waiting, session, end, other, run_failure(other)):
        await planner.bus.publish(event)

    async def is_purged(request: EngineeringRequested) -> bool:
        return len(await planner.bus.history(request.run_id)) == 1

    await wait_until(lambda: is_purged(other))
    assert await planner.bus.history(waiting.run_id) == [waiting, session, end]
    await planner.bus.publish(SessionClosed(**during(session, "closed", "cad-worker"), reason="run_ended"))
    await wait_until(lambda: is_purged(waiting))


async def test_run_is_left_whole_while_its_last_message_is_not_recorded(
    planner: App, js: JetStreamContext, settings: Settings
) -> None:
    request = new_request()
    events = [*session_events(request, 2), run_failure(request)]
    for event in (request, *events[-1:], *events[:-1]):
        await planner.bus.publish(event)
    last = (await js.stream_info(STREAM)).state.last_seq
    client = await nats.connect(settings.nats_url)
    purge = StreamPurge(lambda: client, "recorder-records")
    assert not await purge.purge(request.run_id, last - 1)
    assert request.run_id in await purge.whole_runs()
    assert len(await planner.bus.history(request.run_id)) == len(events) + 1
    assert await purge.purge(request.run_id, last)
    assert await planner.bus.history(request.run_id) == events[-1:]
    await client.close()


async def test_expired_ends_are_purged(planner: App, settings: Settings):
    recorder = make_app(settings.model_copy(update={"recorder_ends_kept_s": 1.0}))
    await recorder.start()
    request = new_request()
    for event in [request, run_failure(request)]:
        await planner.bus.publish(event)

    async def stream_is_empty() -> bool:
        return await planner.bus.history(request.run_id) == []

    await wait_until(stream_is_empty)
    await recorder.stop()


async def test_nothing_is_purged_without_a_recorder(planner: App, settings: Settings):
    client = await nats.connect(settings.nats_url)
    request = new_request()
    await planner.bus.publish(request)
    await planner.bus.publish(run_failure(request))
    purge = StreamPurge(lambda: client, "recorder-records")
    assert await purge.recorded_up_to() == 0
    assert await purge.purge(request.run_id, await purge.recorded_up_to()) is False
    assert len(await planner.bus.history(request.run_id)) == 2
    await client.close()
