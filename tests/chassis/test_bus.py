"""What any bus must keep, the real one and the one in memory."""

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
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed, SimulationRequested
from contracts.events.skill import SkillRejected

Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]
End = Callable[[], RunFailed]


@pytest.fixture(params=["in memory", "on JetStream"])
async def bus(request: pytest.FixtureRequest, refuse: Refuse, settings: BusSettings) -> AsyncIterator[Bus]:
    """Somebody answers simulation requests on it."""

    async def simulate(asked: SimulationRequested) -> SimulationFailed:
        return refuse(asked, "answered")

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


async def test_an_event_comes_back_as_it_was_published(bus: Bus, ask_for: Ask) -> None:
    asked = ask_for(seed=7)
    assert await bus.publish(asked) is True
    assert await bus.find(asked.run_id, "engineer", asked.id) == asked


async def test_nothing_is_found_where_nothing_was_said(bus: Bus, run_id: UUID) -> None:
    assert await bus.find(run_id, "engineer", uuid4()) is None
    assert await bus.ended(run_id) is None
    assert await bus.history(run_id) == []


async def test_the_newest_event_of_a_class_is_found_by_run_and_thread(bus: Bus, ask_for: Ask, end: End) -> None:
    first, second = ask_for(seed=1), ask_for(seed=2)
    for event in (first, second, end()):
        await bus.publish(event)
    assert await bus.latest(SimulationRequested, first.run_id) == second
    assert await bus.latest(SimulationRequested, first.run_id, "engineer") == second
    assert await bus.latest(SimulationRequested, first.run_id, "planner") is None
    assert await bus.latest(SimulationRequested, uuid4()) is None


async def test_the_first_stored_wins(bus: Bus, end: End) -> None:
    first = end()
    assert await bus.publish(first) is True
    assert await bus.publish(first) is False
    assert await bus.publish(first.model_copy(update={"detail": "second"})) is False
    assert await bus.history(first.run_id) == [first]


async def test_the_first_stored_wins_whatever_the_class(bus: Bus, end: End) -> None:
    first = end()
    other = SkillRejected(
        id=first.id, run_id=first.run_id, role=first.role, producer="test", reason="malformed", detail=""
    )
    assert await bus.publish(first) is True
    assert await bus.publish(other) is False
    assert await bus.find(first.run_id, first.role, first.id) == first


async def test_whoever_asks_gets_the_outcome(bus: Bus, ask_for: Ask) -> None:
    asked = ask_for()
    outcome = await bus.ask(asked)
    assert isinstance(outcome, SimulationFailed)
    assert (outcome.id, outcome.detail) == (outcome_id(asked.id), "answered")


async def test_asking_again_gets_the_same_outcome(bus: Bus, ask_for: Ask) -> None:
    asked = ask_for()
    assert await bus.ask(asked) == await bus.ask(asked)


async def test_whoever_asks_too_late_gets_the_end_of_the_run(bus: Bus, ask_for: Ask, end: End) -> None:
    last = end()
    await bus.publish(last)
    assert await bus.ask(ask_for()) == last


async def test_history_has_one_run_in_the_order_of_the_log(bus: Bus, end: End, run_id: UUID) -> None:
    said = [end() for _ in range(5)]
    for event in said:
        await bus.publish(event)
        await bus.publish(event.model_copy(update={"id": uuid4(), "run_id": uuid4()}))
    assert await bus.history(run_id) == said


async def test_a_run_has_ended_once_its_end_is_stored(bus: Bus, end: End, run_id: UUID) -> None:
    waiting = asyncio.create_task(bus.wait_for_end(run_id))
    last = end()
    await bus.publish(last)
    assert await waiting == last
    assert await bus.ended(run_id) == last
    assert await bus.wait_for_end(run_id) == last


async def test_following_begins_at_the_first_event_and_stops_at_the_end(bus: Bus, ask_for: Ask, end: End) -> None:
    asked, last = ask_for(), end()
    outcome = await bus.ask(asked)
    heard: list[Event] = []
    async for event in bus.follow(asked.run_id):
        heard.append(event)
        if event == outcome:
            await bus.publish(last)
    assert heard == [asked, outcome, last]


async def test_following_can_linger_after_the_end(bus: Bus, end: End, run_id: UUID) -> None:
    last, afterwards = end(), end()
    await bus.publish(last)
    heard: list[Event] = []
    async for event in bus.follow(run_id, linger_s=0.5):
        heard.append(event)
        if event == last:
            await bus.publish(afterwards)
    assert heard == [last, afterwards]


async def test_an_event_that_does_not_fit_is_refused_by_name(make_app: Callable[..., App], end: End) -> None:
    app = make_app("planner")
    await app.start()
    with pytest.raises(EventTooLargeError, match=r"RunFailed .* 2000... bytes .* ArtifactRef"):
        await app.bus.publish(end().model_copy(update={"detail": "x" * 2_000_000}))
