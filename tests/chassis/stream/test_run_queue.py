"""Tests of the queue of runs on a server: its order, and that one start at a time is stored."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from chassis.app import App
from chassis.bus import Bus
from chassis.settings import BusSettings
from contracts.envelope import during, outcome_id
from contracts.events.run import EngineeringRequested, EngineeringStarted, RunFailed
from planner.admission import Admission

from tests.agent.role_harness import engineering_requested


@pytest.fixture
async def buses(settings: BusSettings) -> AsyncIterator[list[Bus]]:
    """The buses of two replicas."""
    apps = [App("planner", settings), App("planner", settings)]
    for app in apps:
        await app.start()
    yield [app.bus for app in apps]
    for app in apps:
        await app.stop()


def _end_of(run_id: UUID) -> RunFailed:
    id_ = outcome_id(run_id)
    return RunFailed(id=id_, run_id=run_id, role="planner", producer="planner", reason="cancelled", detail="over")


def _start_of(request: EngineeringRequested) -> EngineeringStarted:
    return EngineeringStarted(**during(request, "started", "planner"), deadline_s=60, slots=1)


async def test_empty_stream_has_an_empty_queue(buses: list[Bus]) -> None:
    queue = await buses[0].queue()
    assert (queue.waiting, queue.started, queue.last_start) == ((), frozenset(), 0)


async def test_start_on_an_outdated_queue_is_refused(buses: list[Bus]) -> None:
    first, second = engineering_requested(), engineering_requested()
    for request in (first, second):
        await buses[0].publish(request)
    queue = await buses[0].queue()
    assert queue.waiting == (first.run_id, second.run_id)
    assert await buses[0].start_run(_start_of(first), queue) is True
    assert await buses[1].start_run(_start_of(second), queue) is False
    assert await buses[1].start_run(_start_of(first), queue) is False
    newer = await buses[1].queue()
    assert (newer.waiting, newer.started) == ((second.run_id,), frozenset({first.run_id}))
    assert await buses[1].start_run(_start_of(second), newer) is True


async def test_ended_runs_are_in_no_queue_whether_they_started_or_not(buses: list[Bus]) -> None:
    requests = [engineering_requested() for _ in range(3)]
    for request in requests:
        await buses[0].publish(request)
    await buses[0].start_run(_start_of(requests[0]), await buses[0].queue())
    for request in requests[:2]:
        await buses[0].publish(_end_of(request.run_id))
    for bus in buses:
        queue = await bus.queue()
        assert (queue.waiting, queue.started) == ((requests[2].run_id,), frozenset[UUID]())


async def test_two_replicas_fill_three_slots_in_order_until_all_runs_have_ended(buses: list[Bus]) -> None:
    requests = [engineering_requested() for _ in range(12)]
    for request in requests:
        await buses[0].publish(request)
    replicas = [Admission(bus, slots=3) for bus in buses]
    for request in requests:
        await asyncio.gather(*(replica.fill() for replica in replicas * 2))
        queue = await buses[0].queue()
        assert len(queue.started) == min(3, len(queue.started) + len(queue.waiting))
        assert request.run_id in queue.started
        await buses[1].publish(_end_of(request.run_id))
    for request in requests:
        started = [event for event in await buses[0].history(request.run_id) if isinstance(event, EngineeringStarted)]
        assert len(started) == 1
