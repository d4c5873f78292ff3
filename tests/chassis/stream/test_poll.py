"""Polling for a message can be cancelled at any moment, also when its result arrives at the same time."""

import asyncio

import pytest
from chassis.stream.reads import poll_until_found


async def test_cancellation_together_with_a_result_is_obeyed() -> None:
    async def find_and_be_cancelled() -> str:
        """Swallow the cancellation, as `asyncio.wait_for` of Python 3.11 does when its future is done."""
        try:
            task.cancel()
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            pass
        return "found"

    task = asyncio.ensure_future(poll_until_found(find_and_be_cancelled, asyncio.Event()))
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_polling_after_an_earlier_cancellation_works() -> None:
    async def find() -> str:
        return "found"

    async def clean_up_after_cancellation() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return await poll_until_found(find, asyncio.Event())
        raise AssertionError

    task = asyncio.ensure_future(clean_up_after_cancellation())
    await asyncio.sleep(0)
    task.cancel()
    assert await task == "found"
