"""Tasks that go on for ever end when they are told to."""

import asyncio

from chassis.cancellation import cancel_and_wait


async def test_a_task_that_misses_a_cancellation_is_cancelled_again() -> None:
    missed: list[str] = []

    async def stubborn() -> None:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                if missed:
                    raise
                missed.append("as `asyncio.wait_for` does, which returns the answer that it meets")

    async def quick() -> None:
        return

    tasks = [asyncio.create_task(stubborn()), asyncio.create_task(quick())]
    await asyncio.sleep(0)
    async with asyncio.timeout(20):
        await cancel_and_wait(*tasks)
    assert len(missed) == 1
    assert tasks[0].cancelled()


async def test_nothing_to_cancel_is_nothing_to_wait_for() -> None:
    await cancel_and_wait()
