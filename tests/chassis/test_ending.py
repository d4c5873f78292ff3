"""The end of a run stops what is at work for it."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID, uuid4

import pytest
from chassis.app import App
from chassis.delivery import run_cancellation
from contracts.envelope import Event
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed, SimulationRequested
from nats.js import JetStreamContext

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
End = Callable[[], RunFailed]
UntilSettled = Callable[[str], Awaitable[None]]

DURABLE = "sim-worker-simulation-requested"


class Thinker:
    """Works for an hour, unless it is stopped."""

    def __init__(self, refuse: Refuse) -> None:
        self._refuse = refuse
        self._stirred = asyncio.Condition()
        self.begun: list[UUID] = []
        self.stopped: list[UUID] = []
        self.may_finish = asyncio.Event()

    async def simulate(self, request: SimulationRequested) -> SimulationFailed:
        await self._note(self.begun, request.run_id)
        try:
            await asyncio.wait_for(self.may_finish.wait(), 3600)
        except asyncio.CancelledError:
            await self._note(self.stopped, request.run_id)
            raise
        return self._refuse(request)

    async def hear(self, request: SimulationRequested) -> Sequence[Event]:
        return [await self.simulate(request)]

    async def until(self, *, begun: int = 0, stopped: int = 0) -> None:
        async with self._stirred:
            await self._stirred.wait_for(lambda: len(self.begun) >= begun and len(self.stopped) >= stopped)

    async def _note(self, runs: list[UUID], run_id: UUID) -> None:
        async with self._stirred:
            runs.append(run_id)
            self._stirred.notify_all()


@pytest.fixture
def thinker(refuse: Refuse) -> Thinker:
    return Thinker(refuse)


async def test_work_in_flight_is_cancelled_and_its_message_acknowledged(
    make_app: MakeApp, thinker: Thinker, ask_for: Ask, end: End, until_settled: UntilSettled
) -> None:
    """The rare look is an hour away: it is the core message that is heard."""
    app, planner = make_app("sim-worker", bus_watch_s=3600.0), make_app("planner")
    app.answers(SimulationRequested, thinker.simulate)
    await app.start()
    await planner.start()
    request = ask_for()
    await planner.bus.publish(request)
    await thinker.until(begun=1)
    await planner.bus.publish(end())
    await until_settled(DURABLE)
    assert thinker.stopped == thinker.begun == [request.run_id]
    assert [type(event) for event in await planner.bus.history(request.run_id)] == [SimulationRequested, RunFailed]


async def test_listeners_and_attendants_are_stopped_too(
    make_app: MakeApp, thinker: Thinker, ask_for: Ask, end: End, until_settled: UntilSettled
) -> None:
    app = make_app("sim-worker", bus_watch_s=3600.0)
    app.subscribes(SimulationRequested, thinker.hear)
    await app.start()
    request = ask_for()
    await app.serve_thread(request.run_id, "engineer", {SimulationRequested: thinker.simulate})
    await app.bus.publish(request)
    await thinker.until(begun=2)
    await app.bus.publish(end())
    await thinker.until(stopped=2)
    await until_settled("sim-worker-hears-simulation-requested")
    await until_settled(f"sim-worker-attends-{request.run_id}-engineer")


async def test_an_end_that_nobody_heard_is_seen_by_looking(
    make_app: MakeApp, thinker: Thinker, ask_for: Ask, end: End, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_cancellation, "ENDINGS", ())
    app = make_app("sim-worker", bus_watch_s=0.1)
    app.answers(SimulationRequested, thinker.simulate)
    await app.start()
    await app.bus.publish(ask_for())
    await thinker.until(begun=1)
    await app.bus.publish(end())
    await thinker.until(stopped=1)


async def test_an_end_that_is_only_said_and_not_stored_stops_nothing(
    make_app: MakeApp, thinker: Thinker, ask_for: Ask, end: End, raw: JetStreamContext
) -> None:
    """As when it was refused because its place is taken."""
    app = make_app("sim-worker")
    app.answers(SimulationRequested, thinker.simulate)
    await app.start()
    asking = asyncio.create_task(app.bus.ask(ask_for()))
    await thinker.until(begun=1)
    refused = end()
    headers = {"Nats-Expected-Last-Sequence": "12345"}
    with pytest.raises(Exception, match="wrong last sequence"):
        await raw.publish(refused.full_subject, refused.model_dump_json().encode(), headers=headers)
    await asyncio.sleep(sum(run_cancellation.ANNOUNCED_CHECK_PAUSES_S) + 0.3)
    thinker.may_finish.set()
    assert isinstance(await asking, SimulationFailed)
    assert thinker.stopped == []


async def test_other_runs_and_work_after_the_end_go_on(
    make_app: MakeApp, thinker: Thinker, ask_for: Ask, refuse: Refuse, end: End
) -> None:
    archivist = Thinker(refuse)
    app, late = make_app("sim-worker"), make_app("archive")
    app.answers(SimulationRequested, thinker.simulate, workers=2)
    late.subscribes(SimulationRequested, archivist.hear, workers=2, after_end=True)
    await app.start()
    await late.start()
    ended, other = ask_for(), ask_for().model_copy(update={"run_id": uuid4()})
    await app.bus.publish(ended)
    asking = asyncio.create_task(app.bus.ask(other))
    await thinker.until(begun=2)
    await archivist.until(begun=2)
    await app.bus.publish(end())
    await thinker.until(stopped=1)
    thinker.may_finish.set()
    archivist.may_finish.set()
    assert isinstance(await asking, SimulationFailed)
    assert thinker.stopped == [ended.run_id]
    assert archivist.stopped == []


async def test_a_cancellation_that_is_swallowed_is_repeated(
    make_app: MakeApp, ask_for: Ask, end: End, until_settled: UntilSettled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_cancellation, "CANCEL_AGAIN_S", 0.2)
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
    await app.bus.publish(ask_for())
    await asyncio.sleep(0.2)
    await app.bus.publish(end())
    await until_settled(DURABLE)
    assert cancellations == 2


async def test_a_handler_that_cancels_itself_is_a_surprise(make_app: MakeApp, ask_for: Ask, refuse: Refuse) -> None:
    tries = 0

    async def confused(request: SimulationRequested) -> SimulationFailed:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise asyncio.CancelledError
        return refuse(request)

    app = make_app("sim-worker")
    app.answers(SimulationRequested, confused)
    await app.start()
    assert isinstance(await app.bus.ask(ask_for()), SimulationFailed)
    assert tries == 2
