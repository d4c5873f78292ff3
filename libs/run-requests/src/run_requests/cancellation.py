"""The request that cancels a run."""

from uuid import uuid5

from contracts.envelope import Event
from contracts.events.run import CancelRequested
from contracts.publishers import Client


def cancel_request(opening: Event, producer: Client) -> CancelRequested:
    """Return the request that cancels the run that `opening` began. A second one is the same event."""
    return CancelRequested(
        id=uuid5(opening.run_id, "cancel"),
        run_id=opening.run_id,
        role="planner",
        causation_id=opening.id,
        producer=producer,
    )
