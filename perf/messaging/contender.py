"""One way of sending messages, as seen by who measures it."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from chassis.settings import BusSettings


class Asker(Protocol):
    """The first and the last of the chain: asks, and hears what the second service says in the end."""

    async def start(self) -> None:
        """Connect, and listen."""
        ...

    async def ask(self, step: int) -> None:
        """Publish the `step`-th request and wait until its outcome has come back through both services."""
        ...

    async def stop(self) -> None:
        """Close."""
        ...


Serve = Callable[[str, BusSettings], Coroutine[Any, Any, None]]
"""Starts the `first` or the `second` service and goes on until it is cancelled."""


@dataclass(frozen=True)
class Rival:
    """One column of the table."""

    name: str
    promises: str
    make_asker: Callable[[BusSettings], Asker]
    serve: Serve


class Awaited:
    """Who waits for which answer."""

    def __init__(self) -> None:
        self._futures: dict[UUID, asyncio.Future[None]] = {}

    def expect(self, cause: UUID) -> asyncio.Future[None]:
        """Return what will be done when `come` is told the same id."""
        future = asyncio.get_running_loop().create_future()
        self._futures[cause] = future
        return future

    def come(self, cause: UUID | None) -> None:
        """Wake who waits for it, if anybody does."""
        future = self._futures.pop(cause, None) if cause else None
        if future is not None and not future.done():
            future.set_result(None)
