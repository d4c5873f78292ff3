"""A limit of the memory of all requests: those that do not fit wait before they are read."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class MemoryBudget:
    """Bytes that requests share, given out in the order of asking."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._gate = asyncio.Lock()
        self._freed = asyncio.Event()
        self.used = 0
        """Bytes of the requests that are in memory."""

    @asynccontextmanager
    async def reserve(self, size: int) -> AsyncGenerator[None]:
        """Wait for room, and keep it inside the block; what exceeds the whole limit is let in alone."""
        async with self._gate:
            while self.used and self.used + size > self._limit:
                self._freed.clear()
                await self._freed.wait()
            self.used += size
        try:
            yield
        finally:
            self.used -= size
            self._freed.set()
