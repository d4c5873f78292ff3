"""Waiting for something to appear in the log: look, ever more rarely, and at once when the subject stirs.

Looking makes it safe against lost connections, stirring makes it fast.
"""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from nats.aio.client import Client
from nats.aio.msg import Msg

T = TypeVar("T")

FIRST_LOOK_S = 0.01
LAST_LOOK_S = 1.0


@asynccontextmanager
async def published_on(client: Client, subject: str) -> AsyncGenerator[asyncio.Event]:
    """Set an event whenever somebody publishes on the subject, stored or not.

    Raw nats-py: FastStream's subscribers are made for handlers, not for the length of one wait.
    """
    stirred = asyncio.Event()

    async def stir(_: Msg) -> None:
        stirred.set()

    subscription = await client.subscribe(subject, cb=stir)
    try:
        yield stirred
    finally:
        if not client.is_closed:
            await subscription.unsubscribe()


async def wait_until_found(look: Callable[[], Awaitable[T | None]], client: Client, subject: str) -> T:
    """Look until something is found, at once whenever the subject stirs."""
    async with published_on(client, subject) as stirred:
        return await poll_until_found(look, stirred)


async def poll_until_found(look: Callable[[], Awaitable[T | None]], stirred: asyncio.Event) -> T:
    """Look whenever something stirs, and now and then, until something is found.

    nats-py waits by `asyncio.wait_for`, which before Python 3.12 swallows a cancellation that meets an answer; the task
    still counts it.
    """
    task = asyncio.current_task()
    assert task is not None
    cancellations = task.cancelling()
    pause_s = FIRST_LOOK_S
    while True:
        stirred.clear()
        found = await look()
        if task.cancelling() > cancellations:
            raise asyncio.CancelledError
        if found is not None:
            return found
        try:
            async with asyncio.timeout(pause_s):
                await stirred.wait()
        except TimeoutError:
            pause_s = min(2 * pause_s, LAST_LOOK_S)
        else:
            # It is delivered a moment before it is stored.
            pause_s = FIRST_LOOK_S
