"""Control of a run by a command: following it to its last event, and the warning when no service claims it."""

import asyncio
from uuid import UUID, uuid4

import pytest
from chassis.testing import FakeBus
from cli.runs.run_control import (
    follow_place,
    follow_run,
    learning_s,
    own_deadline,
    unfinished_learning,
    warn_if_unclaimed,
)
from contracts.envelope import Event, answering, during
from contracts.events.run import EngineeringQueued, EngineeringStarted, RunFailed, RunSucceeded
from contracts.events.skill import SkillRejected
from contracts.models.benchmark import Budget
from local_stack.errors import UserError

from tests.agent.role_harness import engineering_requested
from tests.contracts import example_values as values

SOON_S = 0.3


@pytest.fixture
def succeeded() -> RunSucceeded:
    return RunSucceeded(
        id=uuid4(),
        run_id=uuid4(),
        role="planner",
        producer="planner",
        delivery=values.DELIVERY,
        bill=values.BILL,
        result=values.RESULT,
    )


@pytest.fixture
def lesson(succeeded: RunSucceeded) -> SkillRejected:
    return SkillRejected(**answering(succeeded, "skill-learner"), reason="nothing_failed", detail="Every step worked.")


class Outage:
    """An outage that is seen this many times."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.over = asyncio.Event()

    def __call__(self) -> bool:
        self.times -= 1
        if self.times < 0:
            self.over.set()
        return self.times >= 0


def _ids(events: list[Event]) -> list[UUID]:
    return [event.id for event in events]


async def test_success_is_followed_until_its_lesson(succeeded: RunSucceeded, lesson: SkillRejected) -> None:
    bus, shown = FakeBus(), list[Event]()
    await bus.publish(succeeded)
    await bus.publish(lesson)
    events = await follow_run(bus, succeeded.run_id, shown.append, Outage(0), linger_s=3600.0)
    assert _ids(shown) == list(events) == [succeeded.id, lesson.id]


def test_language_model_has_time_to_write_a_skill() -> None:
    assert learning_s("openai:any") > 60 > learning_s("offline")


def test_unfinished_learning_is_named(succeeded: RunSucceeded, lesson: SkillRejected) -> None:
    assert f"millwright events {succeeded.run_id}" in unfinished_learning([succeeded], succeeded.run_id)
    assert not unfinished_learning([succeeded, lesson], succeeded.run_id)


async def test_failure_ends_the_wait_at_once() -> None:
    bus, run_id = FakeBus(), uuid4()
    failed = RunFailed(id=uuid4(), run_id=run_id, role="planner", producer="planner", reason="cancelled", detail="")
    await bus.publish(failed)
    assert list(await follow_run(bus, run_id, lambda _: None, Outage(10), linger_s=3600.0)) == [failed.id]


async def test_missing_lesson_is_awaited_for_a_limited_time(succeeded: RunSucceeded) -> None:
    bus = FakeBus()
    await bus.publish(succeeded)
    assert list(await follow_run(bus, succeeded.run_id, lambda _: None, Outage(0), SOON_S)) == [succeeded.id]


async def test_lesson_is_awaited_longer_during_an_outage(succeeded: RunSucceeded, lesson: SkillRejected) -> None:
    bus, shown, outage = FakeBus(), list[Event](), Outage(2)
    await bus.publish(succeeded)
    following = asyncio.create_task(follow_run(bus, succeeded.run_id, shown.append, outage, SOON_S))
    await outage.over.wait()
    await bus.publish(lesson)
    events = await following
    assert _ids(shown) == list(events) == [succeeded.id, lesson.id]


async def test_unclaimed_run_is_reported_once() -> None:
    reported: list[str] = []
    async with warn_if_unclaimed(reported.append, after_s=0.02):
        await asyncio.sleep(0.1)
    (line,) = reported
    assert "0.02 s" in line
    assert "docker compose -f deploy/compose.yaml ps" in line


async def test_claimed_or_abandoned_run_is_not_reported() -> None:
    reported: list[str] = []
    async with warn_if_unclaimed(reported.append, after_s=0.02) as claimed:
        claimed.set()
        await asyncio.sleep(0.05)
    async with warn_if_unclaimed(reported.append, after_s=0.02):
        pass
    await asyncio.sleep(0.05)
    assert reported == []


async def test_run_that_no_service_ends_is_given_up_after_its_deadline() -> None:
    request = engineering_requested(budget=Budget(deadline_s=0.05))
    with pytest.raises(UserError, match=f"run {request.run_id} within its deadline of 0.05 s and 0.1 s more"):
        async with own_deadline(request, grace_s=0.1):
            await asyncio.sleep(10 * SOON_S)


async def test_run_that_has_ended_may_be_followed_beyond_its_deadline() -> None:
    request = engineering_requested(budget=Budget(deadline_s=0.05))
    async with own_deadline(request, grace_s=0.0) as deadline:
        deadline.note(RunFailed(**answering(request, "planner"), reason="cancelled", detail="over"))
        await asyncio.sleep(SOON_S)


async def test_waiting_run_is_given_up_only_a_deadline_after_its_start() -> None:
    request = engineering_requested(budget=Budget(deadline_s=0.05))
    queued = EngineeringQueued(**during(request, "queued", "planner"), ahead=3, slots=1)
    started = EngineeringStarted(**during(request, "started", "planner"), deadline_s=0.05, slots=1)
    began_s = asyncio.get_running_loop().time()

    async def follow() -> None:
        async with own_deadline(request, grace_s=0.0) as deadline:
            deadline.note(queued)
            await asyncio.sleep(SOON_S)
            deadline.note(started)
            deadline.note(queued)  # published late by another replica
            await asyncio.sleep(10 * SOON_S)

    with pytest.raises(UserError, match="within its deadline"):
        await follow()
    assert asyncio.get_running_loop().time() - began_s < 5 * SOON_S


async def test_place_of_a_waiting_run_is_followed_until_it_starts() -> None:
    bus, requests, places = FakeBus(), [engineering_requested() for _ in range(3)], list[int]()
    for request in requests:
        await bus.publish(request)
    async with follow_place(bus, requests[2].run_id, places.append, every_s=0.01):
        for request in requests:
            await asyncio.sleep(0.05)
            started = EngineeringStarted(**during(request, "started", "planner"), deadline_s=60, slots=3)
            assert await bus.start_run(started, await bus.queue())
        await asyncio.sleep(0.05)
    assert list(dict.fromkeys(places)) == [2, 1, 0]
