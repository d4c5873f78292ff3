"""Timers that are stored in the stream."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from chassis.app import App
from contracts.envelope import Event
from contracts.events.simulation import SimulationFailed, SimulationRequested

from tests.chassis.fixture_types import Eventually, MakeApp, MakeEnd, MakeRequest
from tests.chassis.outcomes import outcome_of


def in_a_second(event: Event) -> datetime:
    return event.occurred_at + timedelta(seconds=1)


async def test_scheduled_handler_is_called_at_its_time(
    make_app: MakeApp, make_request: MakeRequest, run_id: UUID
) -> None:
    called_at: list[datetime] = []

    async def remind(event: SimulationRequested) -> Sequence[Event]:
        called_at.append(datetime.now(UTC))
        return [outcome_of(event)]

    app = make_app("planner")
    app.schedules(SimulationRequested, in_a_second, remind)
    await app.start()
    requests = [make_request(seed=seed) for seed in range(3)]
    await asyncio.gather(*(app.bus.ask(request) for request in requests))
    assert len(called_at) == 3
    assert min(called_at) >= min(in_a_second(request) for request in requests)


async def test_schedule_outlives_its_process(make_app: MakeApp, make_request: MakeRequest) -> None:
    async def remind(event: SimulationRequested) -> Sequence[Event]:
        return [outcome_of(event)]

    first, second = make_app("planner"), make_app("planner")
    first.schedules(SimulationRequested, in_a_second, remind)
    await first.start()
    request = make_request()
    await first.bus.publish(request)
    await asyncio.sleep(0.2)
    await first.stop()
    second.schedules(SimulationRequested, in_a_second, remind)
    await second.start()
    assert isinstance(await second.bus.ask(request), SimulationFailed)


async def test_scheduled_handler_is_not_called_after_the_end(
    make_app: MakeApp, make_request: MakeRequest, make_end: MakeEnd
) -> None:
    called_for: list[Event] = []

    async def remind(event: SimulationRequested) -> Sequence[Event]:
        called_for.append(event)
        return []

    app = make_app("planner")
    app.schedules(SimulationRequested, in_a_second, remind)
    await app.start()
    await app.bus.publish(make_request())
    await app.bus.publish(make_end())
    await asyncio.sleep(1.3)
    assert called_for == []


async def test_repeating_handler_moves_to_the_next_process_until_the_end(
    make_app: MakeApp, make_request: MakeRequest, make_end: MakeEnd, eventually: Eventually
) -> None:
    calls: list[str] = []

    def repeating(name: str) -> App:
        async def note(_: SimulationRequested) -> None:
            calls.append(name)

        app = make_app("cad-worker")
        app.repeats(SimulationRequested, 0.1, note)
        return app

    async def was_called(name: str) -> bool:
        return calls.count(name) >= 5  # more often than a message is tried before it is abandoned

    first, second = repeating("first"), repeating("second")
    await first.start()
    await first.bus.publish(make_request())
    await eventually(lambda: was_called("first"))
    await first.stop()
    await second.start()
    await eventually(lambda: was_called("second"))
    await second.bus.publish(make_end())
    await asyncio.sleep(0.5)
    count = len(calls)
    await asyncio.sleep(0.5)
    assert len(calls) == count
