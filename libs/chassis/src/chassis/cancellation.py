"""Ending tasks that go on for ever."""

import asyncio

AGAIN_S = 0.5


async def cancel_and_wait(*tasks: asyncio.Task[None]) -> None:
    """Cancel tasks and wait until they have ended.

    A cancellation can be swallowed, as by `asyncio.wait_for` of Python 3.11 when it meets an answer: it is repeated.
    """
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=AGAIN_S)
