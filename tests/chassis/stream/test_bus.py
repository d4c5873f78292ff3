"""The contract of `Bus`, held by the one on JetStream and the one in memory."""

import asyncio
from collections.abc import AsyncIterator, Callable
from uuid import UUID, uuid4

import pytest
from chassis.app import App
from chassis.bus import Bus
from chassis.errors import EventTooLargeError
from chassis.settings import BusSettings
from chassis.testing import FakeBus
from contracts.envelope import Event, outcome_id
from contracts.events.simulation import SimulationFailed, SimulationRequested
from contracts.events.skill import SkillRejected

from tests.chassis.fixture_types import MakeEnd, MakeRequest
from tests.chassis.outcomes import outcome_of


@pytest.fixture(params=["in memory", "on JetStream"])
async def bus(request: pytest.FixtureRequest, settings: BusSettings) -> AsyncIterator[Bus]:
    """A bus on which simulation requests are answered."""

    async def simulate(request: SimulationRequested) -> SimulationFailed:
        return outcome_of(request, "answered")

    if request.param == "in memory":
        fake = FakeBus()
        fake.answers(SimulationRequested, simulate)
        yield fake
        return
    app = App("sim-worker", settings)
    app.answers(SimulationRequested, simulate)
    await app.start()
    yield app.bus
    await app.stop()


async def test_find_returns_the_published_event(bus: Bus, make_request: MakeRequest) -> None:
    asked = make_request(seed=7)
    assert await bus.publish(asked) is True
    assert await bus.find(asked.run_id, "engineer", asked.id) == asked
    assert await bus.is_stored(asked.run_id, "engineer", asked.id)


async def test_empty_run_has_no_events(bus: Bus, run_id: UUID) -> None:
    assert await bus.find(run_id, "engineer", uuid4()) is None
    assert not await bus.is_stored(run_id, "engineer", uuid4())
    assert await bus.ended(run_id) is None
    assert not await bus.has_ended(run_id)
    assert await bus.history(run_id) == []


async def test_latest_finds_the_newest_event_by_run_and_role(
    bus: Bus, make_request: MakeRequest, make_end: MakeEnd
) -> None:
    first, second = make_request(seed=1), make_request(seed=2)
    for event in (first, second, make_end()):
        await bus.publish(event)
    assert await bus.latest(SimulationRequested, first.run_id) == second
    assert await bus.latest(SimulationRequested, first.run_id, "engineer") == second
    assert await bus.latest(SimulationRequested, first.run_id, "planner") is None
    assert await bus.latest(SimulationRequested, uuid4()) is None


async def test_first_stored_event_wins(bus: Bus, make_end: MakeEnd) -> None:
    first = make_end()
    assert await bus.publish(first) is True
    assert await bus.publish(first) is False
    assert await bus.publish(first.model_copy(update={"detail": "second"})) is False
    assert await bus.history(first.run_id) == [first]


async def test_first_stored_event_wins_in_any_class(bus: Bus, make_end: MakeEnd) -> None:
    first = make_end()
    other = SkillRejected(
        id=first.id, run_id=first.run_id, role=first.role, producer="test", reason="malformed", detail=""
    )
    assert await bus.publish(first) is True
    assert await bus.publish(other) is False
    assert await bus.find(first.run_id, first.role, first.id) == first


async def test_ask_returns_the_outcome(bus: Bus, make_request: MakeRequest) -> None:
    asked = make_request()
    outcome = await bus.ask(asked)
    assert isinstance(outcome, SimulationFailed)
    assert (outcome.id, outcome.detail) == (outcome_id(asked.id), "answered")


async def test_ask_again_returns_the_same_outcome(bus: Bus, make_request: MakeRequest) -> None:
    asked = make_request()
    assert await bus.ask(asked) == await bus.ask(asked)


async def test_ask_after_the_end_returns_the_end(bus: Bus, make_request: MakeRequest, make_end: MakeEnd) -> None:
    last = make_end()
    await bus.publish(last)
    assert await bus.ask(make_request()) == last


async def test_history_is_one_run_in_order(bus: Bus, make_end: MakeEnd, run_id: UUID) -> None:
    published = [make_end() for _ in range(5)]
    for event in published:
        await bus.publish(event)
        await bus.publish(event.model_copy(update={"id": uuid4(), "run_id": uuid4()}))
    assert await bus.history(run_id) == published


async def test_run_has_ended_once_its_end_is_stored(bus: Bus, make_end: MakeEnd, run_id: UUID) -> None:
    waiting = asyncio.create_task(bus.wait_for_end(run_id))
    last = make_end()
    await bus.publish(last)
    assert await waiting == last
    assert await bus.ended(run_id) == last
    assert await bus.has_ended(run_id)
    assert await bus.wait_for_end(run_id) == last


async def test_follow_yields_events_until_the_end(bus: Bus, make_request: MakeRequest, make_end: MakeEnd) -> None:
    asked, last = make_request(), make_end()
    outcome = await bus.ask(asked)
    followed: list[Event] = []
    async for event in bus.follow(asked.run_id):
        followed.append(event)
        if event == outcome:
            await bus.publish(last)
    assert followed == [asked, outcome, last]


async def test_follow_can_linger_after_the_end(bus: Bus, make_end: MakeEnd, run_id: UUID) -> None:
    last, afterwards = make_end(), make_end()
    await bus.publish(last)
    followed: list[Event] = []
    async for event in bus.follow(run_id, linger_s=0.5):
        followed.append(event)
        if event == last:
            await bus.publish(afterwards)
    assert followed == [last, afterwards]


async def test_publish_refuses_an_event_that_is_too_large(make_app: Callable[..., App], make_end: MakeEnd) -> None:
    app = make_app("planner")
    await app.start()
    with pytest.raises(EventTooLargeError, match=r"RunFailed .* 2000... bytes"):
        await app.bus.publish(make_end().model_copy(update={"detail": "x" * 2_000_000}))
