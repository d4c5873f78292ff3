"""Background tasks end when they are cancelled, and go on after surprises."""

import asyncio
import contextlib
from pathlib import Path

import chassis
import pytest
from chassis.background_tasks import (
    SupervisedTask,
    cancel_all_others,
    cancel_and_wait,
    first_result,
    run_until_failure,
)

TASKS_THAT_SOMETHING_WAITS_FOR = {
    "background_tasks.py",
    "process.py",
    "delivery/consumer_registry.py",
    "delivery/run_cancellation.py",
    "delivery/worker_slot.py",
    "stream/connection.py",
}


async def test_task_that_swallows_a_cancellation_is_cancelled_again() -> None:
    swallowed: list[str] = []

    async def stubborn() -> None:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                if swallowed:
                    raise
                swallowed.append("as `asyncio.wait_for` does when its result arrives at the same time")

    async def quick() -> None:
        return

    tasks = [asyncio.create_task(stubborn()), asyncio.create_task(quick())]
    await asyncio.sleep(0)
    async with asyncio.timeout(120):
        await cancel_and_wait(*tasks)
    assert len(swallowed) == 1
    assert tasks[0].cancelled()


async def test_cancel_and_wait_without_tasks_returns() -> None:
    await cancel_and_wait()


async def swallow_one_cancellation() -> None:
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.Event().wait()
    await asyncio.Event().wait()


async def fail() -> None:
    raise OSError("the disk is full")


async def test_work_that_swallows_a_cancellation_ends_with_the_others() -> None:
    together = asyncio.create_task(run_until_failure(swallow_one_cancellation(), asyncio.Event().wait()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await cancel_and_wait(together)
    assert together.cancelled()
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_first_failure_is_raised_and_ends_the_other_works() -> None:
    with pytest.raises(OSError, match="the disk is full"):
        await run_until_failure(swallow_one_cancellation(), fail())
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_works_that_all_end_are_awaited() -> None:
    ended: list[str] = []

    async def work(name: str, for_s: float) -> None:
        await asyncio.sleep(for_s)
        ended.append(name)

    await run_until_failure(work("short", 0.0), work("long", 0.01))
    assert ended == ["short", "long"]


def test_loop_ends_although_a_task_that_was_left_swallows_a_cancellation() -> None:
    async def work() -> asyncio.Task[None]:
        left = asyncio.create_task(swallow_one_cancellation())
        await asyncio.sleep(0)
        await cancel_all_others()
        return left

    assert asyncio.run(work()).cancelled()


async def test_supervised_task_goes_on_after_a_surprise_and_names_it() -> None:
    calls = 0
    goes_on = asyncio.Event()

    async def work() -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise KeyError("nothing that anyone expected")
        goes_on.set()
        await asyncio.Event().wait()

    task = SupervisedTask("the renewal", work, restart_s=0.01)
    assert task.problem() is None
    task.start()
    async with asyncio.timeout(120):
        await goes_on.wait()
    problem = task.problem()
    assert problem is not None
    assert "the renewal" in problem
    assert "KeyError: 'nothing that anyone expected'" in problem
    await task.stop()
    assert calls == 2


async def test_background_task_that_was_ended_by_a_stranger_is_a_problem() -> None:
    async def work() -> None:
        await asyncio.Event().wait()

    task = SupervisedTask("the renewal", work)
    task.start()
    await asyncio.sleep(0)
    (running,) = [each for each in asyncio.all_tasks() if each.get_name() == "the renewal"]
    running.cancel()
    await asyncio.wait({running})
    assert task.problem() == "background task 'the renewal' has ended: restart this service"


async def test_first_result_cancels_the_other_works() -> None:
    cancelled: list[str] = []

    async def wait_for_ever() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append("the other")
        return "never"

    async def end(result: str) -> str:
        await asyncio.sleep(0)
        return result

    assert await first_result(wait_for_ever(), end("first"), end("second")) == "first"
    await asyncio.sleep(0)
    assert cancelled == ["the other"]


async def test_task_that_is_asked_to_end_is_not_begun_again() -> None:
    ending = asyncio.Event()
    begun: list[str] = []

    async def work() -> None:
        begun.append("work")
        await ending.wait()
        raise OSError("on the way out")

    task = SupervisedTask("the reader", work, restart_s=0.01)
    task.start()
    await asyncio.sleep(0)
    ending.set()
    async with asyncio.timeout(120):
        await task.finish()
    assert begun == ["work"]


def test_work_that_goes_on_for_ever_is_supervised() -> None:
    """A bare task that dies is noticed by none: new code of the chassis uses `SupervisedTask`."""
    folder = Path(chassis.__file__).parent
    bare = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if "create_task(" in path.read_text("utf-8") or "ensure_future(" in path.read_text("utf-8")
    }
    assert bare == TASKS_THAT_SOMETHING_WAITS_FOR
