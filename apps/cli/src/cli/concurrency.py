"""Work of which only so much is done at the same time."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterable
from typing import TypeVar

T = TypeVar("T")


async def finished(work: Iterable[Coroutine[None, None, T]], at_once: int) -> AsyncGenerator[T]:
    """Do all work, at most `at_once` at the same time, and yield each result as it is known.

    When the generator is closed, or one piece fails, the rest is cancelled, and has ended before this returns.
    """
    limit = asyncio.Semaphore(at_once)

    async def limited(each: Coroutine[None, None, T]) -> T:
        async with limit:
            return await each

    pieces = list(work)
    running = [asyncio.create_task(limited(each)) for each in pieces]
    try:
        for result in asyncio.as_completed(running):
            yield await result
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for each in pieces:
            each.close()  # those that were never begun
