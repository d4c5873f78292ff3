"""Who follows a run can be cancelled at any moment, also in the very moment of an answer."""

import asyncio

import pytest
from chassis.stream.polling import poll_until_found


async def test_a_cancellation_that_meets_an_answer_is_heeded() -> None:
    async def answer_and_cancellation() -> str:
        """Swallow the cancellation as `asyncio.wait_for` of Python 3.11 does when its future is done."""
        try:
            task.cancel()
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            pass
        return "an answer"

    task = asyncio.ensure_future(poll_until_found(answer_and_cancellation, asyncio.Event()))
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_who_was_cancelled_before_may_stillkeep_looking() -> None:
    async def answer() -> str:
        return "an answer"

    async def clean_up_after_a_cancellation() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return await poll_until_found(answer, asyncio.Event())
        raise AssertionError

    task = asyncio.ensure_future(clean_up_after_a_cancellation())
    await asyncio.sleep(0)
    task.cancel()
    assert await task == "an answer"
