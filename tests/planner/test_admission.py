"""Tests of admission: as many runs in work as there are slots, the oldest first, however many replicas decide."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

import pytest
from chassis.bus import Bus
from chassis.errors import FutureVersionError
from chassis.testing import FakeBus
from contracts.envelope import answering
from contracts.events.run import EngineeringQueued, EngineeringRequested, EngineeringStarted, RunFailed
from contracts.models.benchmark import Budget
from planner.admission import Admission, begin_run, leave

from tests.agent.role_harness import engineering_requested
from tests.planner.planner_harness import planner_harness


async def _request(bus: Bus, admission: Admission, count: int) -> list[EngineeringRequested]:
    requests = [engineering_requested(budget=Budget(deadline_s=60.0 + number)) for number in range(count)]
    for request in requests:
        await bus.publish(request)
        for event in await admission.enqueue(request):
            await bus.publish(event)
    return requests


async def _end(bus: Bus, request: EngineeringRequested) -> RunFailed:
    end = RunFailed(**answering(request, "planner"), reason="cancelled", detail="over")
    await bus.publish(end)
    return end


def _started(bus: FakeBus) -> list[EngineeringStarted]:
    return [event for event in bus.events if isinstance(event, EngineeringStarted)]


def _run_ids(requests: Sequence[EngineeringRequested]) -> list[object]:
    return [request.run_id for request in requests]


async def test_runs_beyond_the_slots_wait_and_show_their_place() -> None:
    bus = FakeBus()
    requests = await _request(bus, Admission(bus, slots=2), 5)
    assert [event.run_id for event in _started(bus)] == _run_ids(requests[:2])
    queued = [event for event in bus.events if isinstance(event, EngineeringQueued)]
    assert [(event.run_id, event.ahead) for event in queued] == [
        (request.run_id, ahead) for ahead, request in enumerate(requests[2:])
    ]


async def test_end_lets_the_oldest_waiting_run_start_with_its_own_deadline() -> None:
    bus = FakeBus()
    admission = Admission(bus, slots=2)
    requests = await _request(bus, admission, 5)
    harness = planner_harness(())
    await leave(await _end(bus, requests[1]), admission, harness.threads)
    newest = _started(bus)[-1]
    assert (newest.run_id, newest.deadline_s) == (requests[2].run_id, 62.0)


async def test_cancelled_run_leaves_the_queue_without_a_slot() -> None:
    bus = FakeBus()
    admission = Admission(bus, slots=1)
    requests = await _request(bus, admission, 3)
    await _end(bus, requests[1])
    await admission.fill()
    assert len(_started(bus)) == 1
    await _end(bus, requests[0])
    await admission.fill()
    assert _started(bus)[-1].run_id == requests[2].run_id


async def test_request_that_only_a_newer_planner_can_read_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    bus = FakeBus()
    newer, readable = (engineering_requested() for _ in range(2))
    for request in (newer, readable):
        await bus.publish(request)
    find_latest = bus.latest

    async def read(event_class: type[EngineeringRequested], run_id: UUID) -> EngineeringRequested | None:
        if run_id == newer.run_id:
            raise FutureVersionError("future_version", "schema version 9 is newer than 3")
        return await find_latest(event_class, run_id)

    monkeypatch.setattr(bus, "latest", read)
    await Admission(bus, slots=2).fill()
    assert [event.run_id for event in _started(bus)] == [readable.run_id]


async def test_repeated_requests_and_ends_start_no_run_twice() -> None:
    bus = FakeBus()
    admission = Admission(bus, slots=3)
    requests = await _request(bus, admission, 6)
    ends = [await _end(bus, request) for request in requests[:2]]
    harness = planner_harness(())
    for _ in range(3):
        for request in requests:
            await admission.enqueue(request)
        for end in ends:
            await leave(end, admission, harness.threads)
    assert [event.run_id for event in _started(bus)] == _run_ids(requests[:5])


async def test_replicas_that_decide_at_once_never_exceed_the_slots() -> None:
    bus = FakeBus()
    for request in (requests := [engineering_requested() for _ in range(20)]):
        await bus.publish(request)
    replicas = [Admission(bus, slots=3) for _ in range(4)]
    while (queue := await bus.queue()).waiting or queue.started:
        await asyncio.gather(*(replica.fill() for replica in replicas))
        queue = await bus.queue()
        assert len(queue.started) == min(3, len(queue.started) + len(queue.waiting))
        oldest = next(request for request in requests if request.run_id in queue.started)
        await _end(bus, oldest)
    assert [event.run_id for event in _started(bus)] == _run_ids(requests)


async def test_started_run_advances_the_thread_by_its_request_once() -> None:
    harness = planner_harness(())
    await _request(harness.bus, Admission(harness.bus, slots=1), 1)
    (started,) = _started(harness.bus)
    for _ in range(2):
        assert await begin_run(started, harness.threads, harness.bus) == []
    assert [event.type for event in harness.bus.events][2:] == ["EnvironmentRequested"]
