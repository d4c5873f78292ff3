"""The end of a run cancels the handlers at work for it."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import Sequence
from uuid import UUID, uuid4

import pytest
from chassis.delivery import run_cancellation
from contracts.envelope import Event
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

from tests.chassis.fixture_types import MakeApp, MakeEnd, MakeRequest, UntilSettled
from tests.chassis.outcomes import outcome_of

DURABLE = "sim-worker-simulation-requested"


class SlowSimulator:
    """Works for an hour, unless it is cancelled."""

    def __init__(self) -> None:
        self._changed = asyncio.Condition()
        self.begun: list[UUID] = []
        self.cancelled: list[UUID] = []
        self.may_finish = asyncio.Event()

    async def simulate(self, request: SimulationRequested) -> SimulationFailed:
        await self._note(self.begun, request.run_id)
        try:
            await asyncio.wait_for(self.may_finish.wait(), 3600)
        except asyncio.CancelledError:
            await self._note(self.cancelled, request.run_id)
            raise
        return outcome_of(request)

    async def consume(self, request: SimulationRequested) -> Sequence[Event]:
        return [await self.simulate(request)]

    async def until(self, *, begun: int = 0, cancelled: int = 0) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.begun) >= begun and len(self.cancelled) >= cancelled)

    async def _note(self, runs: list[UUID], run_id: UUID) -> None:
        async with self._changed:
            runs.append(run_id)
            self._changed.notify_all()


@pytest.fixture
def simulator() -> SlowSimulator:
    return SlowSimulator()


async def test_handler_is_cancelled_and_its_message_acknowledged(
    make_app: MakeApp,
    simulator: SlowSimulator,
    make_request: MakeRequest,
    make_end: MakeEnd,
    until_settled: UntilSettled,
) -> None:
    """By the core message: the periodic check is an hour away."""
    app, planner = make_app("sim-worker", bus_watch_s=3600.0), make_app("planner")
    app.answers(SimulationRequested, simulator.simulate)
    await app.start()
    await planner.start()
    request = make_request()
    await planner.bus.publish(request)
    await simulator.until(begun=1)
    await planner.bus.publish(make_end())
    await until_settled(DURABLE)
    assert simulator.cancelled == simulator.begun == [request.run_id]
    assert [type(event) for event in await planner.bus.history(request.run_id)] == [SimulationRequested, RunFailed]


async def test_subscriptions_and_threads_are_cancelled_too(
    make_app: MakeApp,
    simulator: SlowSimulator,
    make_request: MakeRequest,
    make_end: MakeEnd,
    until_settled: UntilSettled,
) -> None:
    app = make_app("sim-worker", bus_watch_s=3600.0)
    app.subscribes(SimulationRequested, simulator.consume)
    await app.start()
    request = make_request()
    await app.serve_thread(request.run_id, "engineer", {SimulationRequested: simulator.simulate})
    await app.bus.publish(request)
    await simulator.until(begun=2)
    await app.bus.publish(make_end())
    await simulator.until(cancelled=2)
    await until_settled("sim-worker-hears-simulation-requested")
    await until_settled(f"sim-worker-attends-{request.run_id}-engineer")


async def test_end_whose_core_message_is_lost_is_found_by_the_check(
    make_app: MakeApp,
    simulator: SlowSimulator,
    make_request: MakeRequest,
    make_end: MakeEnd,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_cancellation, "ENDINGS", ())
    app = make_app("sim-worker", bus_watch_s=0.1)
    app.answers(SimulationRequested, simulator.simulate)
    await app.start()
    await app.bus.publish(make_request())
    await simulator.until(begun=1)
    await app.bus.publish(make_end())
    await simulator.until(cancelled=1)


async def test_published_end_that_is_not_stored_cancels_nothing(
    make_app: MakeApp, simulator: SlowSimulator, make_request: MakeRequest, make_end: MakeEnd, js: JetStreamContext
) -> None:
    """As when it is refused because its id is taken."""
    app = make_app("sim-worker")
    app.answers(SimulationRequested, simulator.simulate)
    await app.start()
    asking = asyncio.create_task(app.bus.ask(make_request()))
    await simulator.until(begun=1)
    refused = make_end()
    headers = {"Nats-Expected-Last-Sequence": "12345"}
    with pytest.raises(Exception, match="wrong last sequence"):
        await js.publish(refused.full_subject, refused.model_dump_json().encode(), headers=headers)
    await asyncio.sleep(sum(run_cancellation.CHECK_PAUSES_S) + 0.3)
    simulator.may_finish.set()
    assert isinstance(await asking, SimulationFailed)
    assert simulator.cancelled == []


async def test_other_runs_and_after_end_handlers_go_on(
    make_app: MakeApp, simulator: SlowSimulator, make_request: MakeRequest, make_end: MakeEnd
) -> None:
    recorder = SlowSimulator()
    app, late = make_app("sim-worker"), make_app("archive")
    app.answers(SimulationRequested, simulator.simulate, workers=2)
    late.subscribes(SimulationRequested, recorder.consume, workers=2, after_end=True)
    await app.start()
    await late.start()
    ended, other = make_request(), make_request().model_copy(update={"run_id": uuid4()})
    await app.bus.publish(ended)
    asking = asyncio.create_task(app.bus.ask(other))
    await simulator.until(begun=2)
    await recorder.until(begun=2)
    await app.bus.publish(make_end())
    await simulator.until(cancelled=1)
    simulator.may_finish.set()
    recorder.may_finish.set()
    assert isinstance(await asking, SimulationFailed)
    assert simulator.cancelled == [ended.run_id]
    assert recorder.cancelled == []


async def test_swallowed_cancellation_is_repeated(
    make_app: MakeApp,
    make_request: MakeRequest,
    make_end: MakeEnd,
    until_settled: UntilSettled,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_cancellation, "REPEAT_CANCEL_S", 0.2)
    cancellations = 0

    async def stubborn(_: SimulationRequested) -> SimulationFailed:
        nonlocal cancellations
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                cancellations += 1
                if cancellations == 2:
                    raise

    app = make_app("sim-worker")
    app.answers(SimulationRequested, stubborn)
    await app.start()
    await app.bus.publish(make_request())
    await asyncio.sleep(0.2)
    await app.bus.publish(make_end())
    await until_settled(DURABLE)
    assert cancellations == 2


async def test_handler_that_cancels_itself_is_tried_again(make_app: MakeApp, make_request: MakeRequest) -> None:
    attempts = 0

    async def confused(request: SimulationRequested) -> SimulationFailed:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise asyncio.CancelledError
        return outcome_of(request)

    app = make_app("sim-worker")
    app.answers(SimulationRequested, confused)
    await app.start()
    assert isinstance(await app.bus.ask(make_request()), SimulationFailed)
    assert attempts == 2
