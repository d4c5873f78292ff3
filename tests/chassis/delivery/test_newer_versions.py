"""What a service does with a run of which it cannot read an event yet: it leaves it to a newer version of itself."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import json
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

import pytest
from chassis.errors import FutureVersionError
from chassis.subjects import STREAM
from contracts.envelope import Event, outcome_id
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

from tests.chassis.fixture_types import Eventually, MakeApp, MakeEnd, MakeRequest, UntilSettled
from tests.chassis.outcomes import outcome_of, simulate


@dataclass
class Calls:
    """How often a handler was called, and how often it has read what it needs."""

    begun: int = 0
    done: int = 0

    async def are_repeated(self) -> bool:
        return self.begun > 4  # three attempts would be over by then

    async def are_done(self) -> bool:
        return self.done == 1


async def _publish_newer(js: JetStreamContext, event: Event) -> None:
    """Publish an event as a newer version would write it."""
    newer = {**json.loads(event.model_dump_json()), "schema_version": 7}
    await js.publish(event.full_subject, json.dumps(newer).encode())


async def _remove(js: JetStreamContext, event: Event) -> None:
    """Remove an event from the stream, in place of updating its reader."""
    await js.purge_stream(STREAM, subject=event.full_subject)


async def test_handler_that_reads_an_event_of_a_newer_version_leaves_its_message(
    make_app: MakeApp,
    make_request: MakeRequest,
    js: JetStreamContext,
    until_settled: UntilSettled,
    eventually: Eventually,
) -> None:
    """Otherwise it would decide without that event. No attempt is counted."""
    app, calls = make_app("engineer", bus_max_retry_delay_s=0.1), Calls()
    app.requires_readable_events()

    async def decide(request: SimulationRequested) -> Sequence[Event]:
        calls.begun += 1
        await app.bus.history(request.run_id)
        calls.done += 1
        return []

    app.subscribes(SimulationRequested, decide)
    await app.start()
    request, newer = make_request(), outcome_of(make_request())
    await _publish_newer(js, newer)
    await app.bus.publish(request)
    await eventually(calls.are_repeated)
    assert calls.done == 0
    (problem,) = await app.health()
    assert problem == f"1 messages, such as {request.full_subject}, wait for a newer version: update this service"
    await _remove(js, newer)
    await until_settled("engineer-hears-simulation-requested")
    assert calls.done == 1
    assert await app.bus.latest(MessageAbandoned, request.run_id) is None


async def test_end_of_a_run_is_left_to_a_newer_version_that_can_read_another_run(
    make_app: MakeApp, make_request: MakeRequest, make_end: MakeEnd, js: JetStreamContext, eventually: Eventually
) -> None:
    """As a skill-learner that judges a trial by its runs."""
    app, calls = make_app("planner", bus_max_retry_delay_s=0.1), Calls()
    app.requires_readable_events()
    waiting = make_request().model_copy(update={"run_id": uuid4()})

    async def let_in(_: RunFailed) -> Sequence[Event]:
        calls.begun += 1
        await app.bus.latest(SimulationRequested, waiting.run_id)
        calls.done += 1
        return []

    app.subscribes(RunFailed, let_in)
    await app.start()
    await _publish_newer(js, waiting)
    end = make_end()
    await app.bus.publish(end)
    await eventually(calls.are_repeated)
    assert calls.done == 0
    await _remove(js, waiting)
    await eventually(calls.are_done)
    assert await app.bus.latest(MessageAbandoned, end.run_id) is None


async def test_request_whose_outcome_is_of_a_newer_version_is_answered(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext, until_settled: UntilSettled
) -> None:
    app, calls = make_app("sim-worker"), Calls()

    async def answer(request: SimulationRequested) -> SimulationFailed:
        calls.begun += 1
        return outcome_of(request)

    app.answers(SimulationRequested, answer)
    await app.start()
    request = make_request()
    await _publish_newer(js, outcome_of(request))
    await app.bus.publish(request)
    await until_settled("sim-worker-simulation-requested")
    assert calls.begun == 0
    assert await app.health() == []


async def test_run_whose_end_is_of_a_newer_version_has_ended(
    make_app: MakeApp, make_request: MakeRequest, make_end: MakeEnd, js: JetStreamContext, until_settled: UntilSettled
) -> None:
    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulate)
    await app.start()
    end, request = make_end(), make_request()
    await _publish_newer(js, end)
    await app.bus.publish(request)
    await until_settled("sim-worker-simulation-requested")
    assert await app.bus.has_ended(end.run_id)
    with pytest.raises(FutureVersionError, match="update this program"):
        await app.bus.ended(end.run_id)
    with pytest.raises(FutureVersionError, match="update this program"):
        await anext(aiter(app.bus.follow(end.run_id)))
    assert await app.bus.find(request.run_id, request.role, outcome_id(request.id)) is None


async def test_app_that_decides_nothing_reads_without_events_of_a_newer_version(
    make_app: MakeApp, make_request: MakeRequest, make_end: MakeEnd, js: JetStreamContext
) -> None:
    app = make_app("sim-worker")
    await app.start()
    request, newer, end = make_request(), make_request(), make_end()
    await app.bus.publish(request)
    await _publish_newer(js, newer)
    await app.bus.publish(end)
    assert [each async for each in app.bus.follow(request.run_id)] == [request, end]
    assert await app.bus.history(request.run_id) == [request, end]
    assert await app.bus.latest(SimulationRequested, request.run_id) is None
