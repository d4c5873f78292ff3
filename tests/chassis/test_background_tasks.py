"""Background tasks end when they are cancelled."""

import asyncio

from chassis.background_tasks import cancel_and_wait


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
    async with asyncio.timeout(20):
        await cancel_and_wait(*tasks)
    assert len(swallowed) == 1
    assert tasks[0].cancelled()


async def test_cancel_and_wait_without_tasks_returns() -> None:
    await cancel_and_wait()
