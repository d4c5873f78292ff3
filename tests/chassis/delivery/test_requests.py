"""Requests are handled at least once and take effect once per id; what cannot be handled becomes a dead letter."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
import time
from collections.abc import Sequence
from uuid import UUID

import pytest
from chassis.app import App
from chassis.settings import BusSettings
from chassis.subjects import STREAM
from contracts.envelope import Event, outcome_id
from contracts.events.dead_letters import MessageAbandoned
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

from tests.chassis.fixture_types import MakeApp, MakeEnd, MakeRequest, UntilSettled
from tests.chassis.outcomes import outcome_of, simulate

DURABLE = "sim-worker-simulation-requested"


class Simulator:
    """Answers and counts; may take its time, or fail at first."""

    def __init__(self, *, takes_s: float = 0.0, failures: int = 0) -> None:
        self._takes_s = takes_s
        self._failures = failures
        self.seeds: list[int] = []
        self.running = 0
        self.most_running = 0

    async def simulate(self, request: SimulationRequested) -> SimulationFailed:
        self.seeds.append(request.seed)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        await asyncio.sleep(self._takes_s)
        self.running -= 1
        if len(self.seeds) <= self._failures:
            raise OSError("the disk is full")
        return outcome_of(request)


async def test_request_with_stored_outcome_is_not_handled(make_app: MakeApp, make_request: MakeRequest) -> None:
    simulator = Simulator()
    before, app = make_app("planner"), make_app("sim-worker")
    await before.start()
    answered, open_request = make_request(seed=1), make_request(seed=2)
    await before.bus.publish(answered)
    await before.bus.publish(outcome_of(answered))
    app.answers(SimulationRequested, simulator.simulate)
    await app.start()
    await app.bus.ask(open_request)
    assert simulator.seeds == [2]


async def test_handler_longer_than_ack_wait_runs_once(make_app: MakeApp, make_request: MakeRequest) -> None:
    simulator = Simulator(takes_s=1.3)
    first, second = (make_app("sim-worker", bus_ack_wait_s=0.4) for _ in range(2))
    for app in (first, second):
        app.answers(SimulationRequested, simulator.simulate)
        await app.start()
    await first.bus.ask(make_request(seed=1))
    assert simulator.seeds == [1]


async def test_handler_that_blocks_the_event_loop_runs_once(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext
) -> None:
    async def block(request: SimulationRequested) -> SimulationFailed:
        time.sleep(1.3)  # noqa: ASYNC251 - what the test is about
        return outcome_of(request)

    app = make_app("sim-worker", bus_ack_wait_s=0.4)
    app.answers(SimulationRequested, block, workers=2)
    await app.start()
    await app.bus.ask(make_request())
    info = await js.consumer_info(STREAM, DURABLE)
    assert info.delivered is not None
    assert info.delivered.consumer_seq == 1


async def test_workers_run_concurrently_and_each_request_once(make_app: MakeApp, make_request: MakeRequest) -> None:
    simulator = Simulator(takes_s=0.3)
    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulator.simulate, workers=4)
    await app.start()
    await asyncio.gather(*(app.bus.ask(make_request(seed=seed)) for seed in range(8)))
    assert sorted(simulator.seeds) == list(range(8))
    assert simulator.most_running == 4


async def test_failing_handler_is_tried_again(make_app: MakeApp, make_request: MakeRequest) -> None:
    simulator = Simulator(failures=2)
    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulator.simulate)
    await app.start()
    assert isinstance(await app.bus.ask(make_request()), SimulationFailed)
    assert len(simulator.seeds) == 3


async def test_exhausted_request_is_answered_by_a_dead_letter(make_app: MakeApp, make_request: MakeRequest) -> None:
    simulator = Simulator(failures=100)
    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulator.simulate)
    await app.start()
    request = make_request()
    letter = await app.bus.ask(request)
    assert isinstance(letter, MessageAbandoned)
    assert (letter.reason, letter.consumer) == ("exhausted", DURABLE)
    assert (letter.causation_id, letter.id) == (request.id, outcome_id(request.id))
    assert "OSError: the disk is full" in letter.detail
    assert len(simulator.seeds) == 3


async def test_outcome_that_is_too_large_is_abandoned(make_app: MakeApp, make_request: MakeRequest) -> None:
    async def answer_at_length(request: SimulationRequested) -> SimulationFailed:
        return outcome_of(request, "x" * 2_000_000)

    app = make_app("sim-worker")
    app.answers(SimulationRequested, answer_at_length)
    await app.start()
    letter = await app.bus.ask(make_request())
    assert isinstance(letter, MessageAbandoned)
    assert letter.reason == "too_large"


async def test_event_that_is_not_an_outcome_is_not_published(
    make_app: MakeApp, make_request: MakeRequest, make_end: MakeEnd, run_id: UUID
) -> None:
    async def confuse(request: SimulationRequested) -> Event:
        return make_end()

    app = make_app("sim-worker")
    app.answers(SimulationRequested, confuse)
    await app.start()
    letter = await app.bus.ask(make_request())
    assert isinstance(letter, MessageAbandoned)
    assert "confuse answered SimulationRequested with RunFailed" in letter.detail
    assert await app.bus.ended(run_id) is None


async def test_ended_run_is_handled_only_with_after_end(
    make_app: MakeApp, make_request: MakeRequest, make_end: MakeEnd, until_settled: UntilSettled
) -> None:
    simulator, late = Simulator(), Simulator()
    consumed: list[str] = []

    async def consume(event: Event) -> Sequence[Event]:
        consumed.append(type(event).__name__)
        return []

    app, after = make_app("sim-worker"), make_app("skill-learner")
    app.answers(SimulationRequested, simulator.simulate)
    app.subscribes(RunFailed, consume)
    app.subscribes(SimulationRequested, consume)
    after.answers(SimulationRequested, late.simulate, after_end=True)
    await app.start()
    await app.bus.publish(make_end())
    await app.bus.publish(make_request(seed=3))
    await after.start()
    for durable in (DURABLE, "sim-worker-hears-simulation-requested", "sim-worker-hears-run-failed"):
        await until_settled(durable)
    await until_settled("skill-learner-simulation-requested")
    assert late.seeds == [3]
    assert simulator.seeds == []
    assert consumed == ["RunFailed"]


async def test_event_of_a_subscription_is_published_once(
    make_app: MakeApp, make_request: MakeRequest, run_id: UUID
) -> None:
    roles: list[str] = []

    async def consume(event: SimulationRequested) -> Sequence[Event]:
        roles.append(event.role)
        return [outcome_of(event)]

    app = make_app("critic")
    app.subscribes(SimulationRequested, consume, role="critic")
    await app.start()
    mine, other = make_request(role="critic"), make_request(role="engineer")
    await app.bus.publish(other)
    outcome = await app.bus.ask(mine)
    assert outcome.causation_id == mine.id
    assert roles == ["critic"]
    assert await app.bus.history(run_id) == [other, mine, outcome]


def test_two_handlers_of_one_consumer_are_refused() -> None:
    app = App("sim-worker", BusSettings())
    app.answers(SimulationRequested, simulate)
    with pytest.raises(ValueError, match=f"two handlers for consumer {DURABLE}"):
        app.answers(SimulationRequested, simulate)
