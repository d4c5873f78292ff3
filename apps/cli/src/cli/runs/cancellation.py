"""Ending a run that nobody wants any more."""

import asyncio
from uuid import uuid5

from chassis.bus import Bus
from contracts.envelope import Event
from contracts.events.run import CancelRequested

PATIENCE_S = 30.0


async def cancel(bus: Bus, asked: Event, patience_s: float) -> Event | None:
    """Ask the planner to end the run that `asked` opened; return how it ended, None when not within `patience_s`."""
    wish = CancelRequested(
        id=uuid5(asked.run_id, "cancel"),  # asked twice, it is one
        run_id=asked.run_id,
        role="planner",
        causation_id=asked.id,
        producer="cli",
    )
    try:
        async with asyncio.timeout(patience_s):
            await bus.publish(wish)
            return await bus.wait_for_end(asked.run_id)
    except TimeoutError:
        return None
