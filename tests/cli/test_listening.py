"""The command hears a run to its last word, and waits longer for it while something is away."""

import asyncio
from uuid import UUID, uuid4

import pytest
from chassis.testing import FakeBus
from cli.runs.listener import listen
from contracts.envelope import Event
from contracts.events.run import RunFailed, RunSucceeded
from contracts.events.skill import SkillRejected

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


class Away:
    """Something that is away when it is asked about for the first so many times."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.back = asyncio.Event()

    def __call__(self) -> bool:
        self.times -= 1
        if self.times < 0:
            self.back.set()
        return self.times >= 0


def _ids(events: list[Event]) -> list[UUID]:
    return [event.id for event in events]


async def test_a_success_is_heard_until_its_lesson(succeeded: RunSucceeded, lesson: SkillRejected) -> None:
    bus, shown = FakeBus(), list[Event]()
    await bus.publish(succeeded)
    await bus.publish(lesson)
    heard = await listen(bus, succeeded.run_id, shown.append, Away(0), learning_s=3600.0)
    assert _ids(shown) == list(heard) == [succeeded.id, lesson.id]


async def test_nothing_is_waited_for_after_a_failure() -> None:
    bus, run_id = FakeBus(), uuid4()
    failed = RunFailed(id=uuid4(), run_id=run_id, role="planner", producer="planner", reason="cancelled", detail="")
    await bus.publish(failed)
    assert list(await listen(bus, run_id, lambda _: None, Away(10), learning_s=3600.0)) == [failed.id]


async def test_a_lesson_that_does_not_come_is_not_waited_for_longer(succeeded: RunSucceeded) -> None:
    bus = FakeBus()
    await bus.publish(succeeded)
    assert list(await listen(bus, succeeded.run_id, lambda _: None, Away(0), SOON_S)) == [succeeded.id]


async def test_while_something_is_away_the_lesson_is_waited_for_and_nothing_is_shown_twice(
    succeeded: RunSucceeded, lesson: SkillRejected
) -> None:
    bus, shown, away = FakeBus(), list[Event](), Away(2)
    await bus.publish(succeeded)
    listening = asyncio.create_task(listen(bus, succeeded.run_id, shown.append, away, SOON_S))
    await away.back.wait()
    await bus.publish(lesson)
    heard = await listening
    assert _ids(shown) == list(heard) == [succeeded.id, lesson.id]
