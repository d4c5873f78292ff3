"""Contenders of the latency measurement: libraries that send a request through two services and wait for it."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from chassis.settings import BusSettings


class Requester(Protocol):
    """Publishes requests, and receives the event that the second service publishes in the end."""

    async def start(self) -> None:
        """Connect and subscribe."""
        ...

    async def request(self, step: int) -> None:
        """Publish the `step`-th request and wait until its outcome has come back through both services."""
        ...

    async def stop(self) -> None:
        """Close."""
        ...


Serve = Callable[[str, BusSettings], Coroutine[Any, Any, None]]
"""Runs the `first` or the `second` service until it is cancelled."""


@dataclass(frozen=True)
class Contender:
    """One row of the table."""

    name: str
    guarantees: str
    make_requester: Callable[[BusSettings], Requester]
    serve: Serve


class PendingReplies:
    """Futures of the replies that a requester waits for, by the id of their cause."""

    def __init__(self) -> None:
        self._futures: dict[UUID, asyncio.Future[None]] = {}

    def expect(self, cause: UUID) -> asyncio.Future[None]:
        """Return a future that `resolve` completes when it gets the same id."""
        future = asyncio.get_running_loop().create_future()
        self._futures[cause] = future
        return future

    def resolve(self, cause: UUID | None) -> None:
        """Complete the future of this cause, if there is one."""
        future = self._futures.pop(cause, None) if cause else None
        if future is not None and not future.done():
            future.set_result(None)
