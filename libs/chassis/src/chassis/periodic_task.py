"""Small upkeep that a service does beside its messages, again and again."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from chassis.cancellation import cancel_and_wait

_log = logging.getLogger(__name__)


class PeriodicTask:
    """A resource: calls `work` at its start and then every `every_s`. One that fails is logged, and called again."""

    def __init__(self, name: str, work: Callable[[], Awaitable[None]], every_s: float) -> None:
        self._name = name
        self._work = work
        self._every_s = every_s
        self._going_on: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin; do not wait for the first time."""
        self._going_on = asyncio.create_task(self._go_on(), name=self._name)

    async def stop(self) -> None:
        """Break off what is under way."""
        if self._going_on is not None:
            await cancel_and_wait(self._going_on)
            self._going_on = None

    async def _go_on(self) -> None:
        while True:
            try:
                await self._work()
            except Exception as error:  # noqa: BLE001 - upkeep goes on, whatever was away for a moment
                _log.warning("%s: %r", self._name, error)
            await asyncio.sleep(self._every_s)
