"""Timers that live in the stream."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from chassis.app import App
from contracts.envelope import Event
from contracts.events.run import RunFailed
from contracts.events.simulation import SimulationFailed, SimulationRequested

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]


def in_a_second(event: Event) -> datetime:
    return event.occurred_at + timedelta(seconds=1)


async def test_a_reminder_comes_when_it_is_due_and_not_before(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, run_id: UUID
) -> None:
    reminded: list[datetime] = []

    async def remind(event: SimulationRequested) -> Sequence[Event]:
        reminded.append(datetime.now(UTC))
        return [refuse(event)]

    app = make_app("planner")
    app.schedules(SimulationRequested, in_a_second, remind)
    await app.start()
    requests = [ask_for(seed=seed) for seed in range(3)]
    await asyncio.gather(*(app.bus.ask(request) for request in requests))
    assert len(reminded) == 3
    assert min(reminded) >= min(in_a_second(request) for request in requests)


async def test_a_reminder_outlives_the_process_that_will_hear_it(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse
) -> None:
    async def remind(event: SimulationRequested) -> Sequence[Event]:
        return [refuse(event)]

    first, second = make_app("planner"), make_app("planner")
    first.schedules(SimulationRequested, in_a_second, remind)
    await first.start()
    request = ask_for()
    await first.bus.publish(request)
    await asyncio.sleep(0.2)
    await first.stop()
    second.schedules(SimulationRequested, in_a_second, remind)
    await second.start()
    assert isinstance(await second.bus.ask(request), SimulationFailed)


async def test_nobody_is_reminded_of_a_run_that_has_ended(
    make_app: MakeApp, ask_for: Ask, end: Callable[[], RunFailed], run_id: UUID
) -> None:
    reminded: list[Event] = []

    async def remind(event: SimulationRequested) -> Sequence[Event]:
        reminded.append(event)
        return []

    app = make_app("planner")
    app.schedules(SimulationRequested, in_a_second, remind)
    await app.start()
    await app.bus.publish(ask_for())
    await app.bus.publish(end())
    await asyncio.sleep(1.3)
    assert reminded == []
