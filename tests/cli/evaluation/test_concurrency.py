"""Work of which only so much is done at the same time."""

import asyncio
from contextlib import aclosing

import pytest
from cli.concurrency import finished


async def test_no_more_than_admitted_work_at_once() -> None:
    at_work, most = 0, 0

    async def piece(number: int) -> int:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0)
        at_work -= 1
        return number

    assert {each async for each in finished((piece(number) for number in range(9)), 3)} == set(range(9))
    assert most == 3


@pytest.mark.parametrize("fails", [False, True])
async def test_rest_is_cancelled_when_the_generator_ends_early(fails: bool) -> None:
    cancelled: list[int] = []

    async def piece(number: int) -> int:
        if number == 0:
            if fails:
                raise LookupError
            return number
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(number)
            raise
        return number

    async def first() -> int:
        async with aclosing(finished((piece(number) for number in range(4)), 2)) as results:
            return await anext(results)

    if fails:
        with pytest.raises(LookupError):
            await first()
    else:
        assert await first() == 0
    assert cancelled in ([1], [1, 2]), "the others were never begun"
