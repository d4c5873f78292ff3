"""Working through the requests of one thread, in order, one at a time."""

import asyncio
from collections.abc import Callable

from chassis.delivery.subscriber import Subscriber, stop


class ThreadSubscription:
    """An open ear for one run and role. Stopping it leaves unanswered requests to whoever attends next."""

    def __init__(self, subscriber: Subscriber, forget: Callable[["ThreadSubscription"], None]) -> None:
        self._subscriber = subscriber
        self._forget = forget
        self._stopped: asyncio.Task[None] | None = None

    async def stop(self) -> None:
        """Finish the request in hand and take no further one. A second stop waits for the first."""
        if self._stopped is None:
            self._stopped = asyncio.create_task(self._stop())
        await asyncio.shield(self._stopped)

    async def _stop(self) -> None:
        await stop(self._subscriber)
        self._forget(self)
