"""The event loop in virtual time: clocks that jump, and processes that die between two steps."""

import asyncio

from tests.simulation.event_loop import Process, VirtualLoop


def test_hours_pass_at_once():
    loop, woken = VirtualLoop(), list[float]()

    async def sleep() -> None:
        await asyncio.sleep(3600.0)
        woken.append(asyncio.get_running_loop().time())

    loop.spawn(Process("one"), sleep())
    assert not loop.run_until(lambda: bool(woken), 3599.0)
    assert loop.run_until(lambda: bool(woken), 3601.0)
    assert woken == [3600.0]


def test_killed_process_runs_no_cleanup():
    loop, process, steps = VirtualLoop(), Process("one", crash_at_step=3), list[str]()

    async def work() -> None:
        try:
            for number in range(9):
                steps.append(f"step {number}")
                await asyncio.sleep(0.1)
        finally:
            steps.append("cleanup")

    loop.spawn(process, work())
    loop.run_until(lambda: False, 10.0)
    assert not process.is_alive
    assert steps == ["step 0"]


def test_tasks_of_a_task_belong_to_its_process():
    loop, process, done = VirtualLoop(), Process("one"), list[int]()

    async def child() -> None:
        await asyncio.sleep(1.0)
        done.append(1)

    async def parent() -> None:
        asyncio.create_task(child())  # noqa: RUF006 - the process keeps it

    loop.spawn(process, parent())
    loop.run_until(lambda: False, 0.5)
    process.kill()
    loop.run_until(lambda: False, 5.0)
    assert not done
