"""Requests of tools to other services: an outcome in the log counts only if it answers what is asked now.

A cell whose worker died runs again, and its n-th call has the id of the n-th call before. Code that depends on the
clock or on what it finds may ask something else this time; the old outcome would be the result of another design.
"""

import itertools
import logging
from uuid import uuid5

from chassis.bus import Bus
from contracts.envelope import Event, Request

_log = logging.getLogger(__name__)


class ToolRequests:
    """Publishes requests and waits for their outcomes."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def ask(self, request: Request) -> Event:
        """Return the outcome of a request, under its own id unless another request was stored under that."""
        for repeat in itertools.count():
            asked = request.model_copy(update={"id": uuid5(request.id, f"again {repeat}")}) if repeat else request
            stored = await self._bus.find(asked.run_id, asked.role, asked.id)
            if stored is None or _is_same(stored, asked):
                return await self._bus.ask(asked)
            _log.warning("%s %s asked for something else when its cell ran first", asked.type, asked.id)
        raise AssertionError("the loop has no end")


def _is_same(stored: Event, asked: Request) -> bool:
    return stored == asked.model_copy(update={"occurred_at": stored.occurred_at})
