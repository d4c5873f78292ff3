"""Isolation: a message that may have killed its process is worked on while the process has no other one in hand."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

ALONE_WITHIN_S = 30.0
"""How long a suspect holds up new work of its process until what is in hand is finished; then it goes on in company,
and a death is not counted against it."""


class Isolation:
    """Which messages one process works on: many at once, or one suspect alone. Leaving never waits."""

    def __init__(self, alone_within_s: float = ALONE_WITHIN_S) -> None:
        self._alone_within_s = alone_within_s
        self._in_hand = 0
        self._is_one_alone = False
        self._suspects_waiting = 0
        self._changed: list[asyncio.Event] = []

    @asynccontextmanager
    async def in_company(self) -> AsyncGenerator[None]:
        """Work beside other messages, once no suspect is alone or waits to be."""
        await self._until(lambda: not self._is_one_alone and not self._suspects_waiting)
        self._in_hand += 1
        try:
            yield
        finally:
            self._leave()

    @asynccontextmanager
    async def away(self) -> AsyncGenerator[None]:
        """Do not count, in a block of `in_company`: the message only waits for something and can kill nothing."""
        self._leave()
        try:
            yield
            await self._until(lambda: not self._is_one_alone)
        finally:
            self._in_hand += 1

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[bool]:
        """Work alone; yields False if others did not finish in time, and goes on beside them."""
        is_alone = await self._become_alone()
        self._in_hand += 1
        self._is_one_alone = is_alone or self._is_one_alone
        try:
            yield is_alone
        finally:
            if is_alone:
                self._is_one_alone = False
            self._leave()

    async def _become_alone(self) -> bool:
        self._suspects_waiting += 1
        try:
            while self._in_hand:
                await self._until(lambda: not self._is_one_alone)  # suspects take turns, however long each takes
                try:
                    async with asyncio.timeout(self._alone_within_s):
                        await self._until(lambda: not self._in_hand)
                except TimeoutError:
                    if not self._is_one_alone:
                        return False
            return True
        finally:
            self._suspects_waiting -= 1
            self._notify()

    async def _until(self, condition: Callable[[], bool]) -> None:
        changed = asyncio.Event()
        self._changed.append(changed)
        try:
            while not condition():
                changed.clear()
                await changed.wait()
        finally:
            self._changed.remove(changed)

    def _leave(self) -> None:
        self._in_hand -= 1
        self._notify()

    def _notify(self) -> None:
        for changed in self._changed:
            changed.set()
