"""A run that nobody takes up: told to the user, who can see to the services."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from chassis.background_tasks import cancel_and_wait
from local_stack.containers import COMPOSE

UNHEARD_S = 30.0
TOLD = (
    f"nobody has taken up the run for {{after_s:g}} s: do the services run (in containers: `{COMPOSE} ps`)? "
    "It waits, and goes on by itself"
)


@asynccontextmanager
async def minding(say: Callable[[str], None], after_s: float = UNHEARD_S) -> AsyncGenerator[asyncio.Event]:
    """Yield what is set once somebody has answered; say so, once, when nobody does."""
    answered = asyncio.Event()

    async def mind() -> None:
        try:
            async with asyncio.timeout(after_s):
                await answered.wait()
        except TimeoutError:
            say(TOLD.format(after_s=after_s))

    task = asyncio.create_task(mind(), name="mind an answer")
    try:
        yield answered
    finally:
        await cancel_and_wait(task)
