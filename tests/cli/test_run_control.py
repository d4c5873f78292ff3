"""Control of a run by a command: following it to its last event, and the warning when no service claims it."""

import asyncio
from uuid import UUID, uuid4

import pytest
from chassis.testing import FakeBus
from cli.runs.run_control import follow_run, own_deadline, warn_if_unclaimed
from contracts.envelope import Event
from contracts.events.run import RunFailed, RunSucceeded
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
    return SkillRejected.answering(succeeded, "skill-learner", reason="nothing_failed", detail="Every step worked.")


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
    events = await follow_run(bus, succeeded.run_id, shown.append, Outage(0), learning_s=3600.0)
    assert _ids(shown) == list(events) == [succeeded.id, lesson.id]


async def test_failure_ends_the_wait_at_once() -> None:
    bus, run_id = FakeBus(), uuid4()
    failed = RunFailed(id=uuid4(), run_id=run_id, role="planner", producer="planner", reason="cancelled", detail="")
    await bus.publish(failed)
    assert list(await follow_run(bus, run_id, lambda _: None, Outage(10), learning_s=3600.0)) == [failed.id]


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
    async with own_deadline(engineering_requested(budget=Budget(deadline_s=0.05)), grace_s=0.0) as deadline:
        deadline.reschedule(None)
        await asyncio.sleep(SOON_S)
