"""Runs that end before the costly part."""

from uuid import uuid4

from chassis.bus import Bus
from contracts.envelope import Event
from contracts.events.design import DesignSubmitted
from contracts.events.run import CancelRequested


async def cancel_when_submitted(bus: Bus, run: Event) -> None:
    """Cancel a run when its first design is submitted; return when that is done, or the run has ended without one.

    What follows is the most costly: validation, more than 200 replicas and a film.
    """
    async for event in bus.follow(run.run_id):
        if isinstance(event, DesignSubmitted):
            await bus.publish(CancelRequested(id=uuid4(), run_id=run.run_id, role="planner", producer="cli"))
            return
