"""The film of an approved design: made last, and no condition of success."""

from agent.loop.role import StepEvents
from contracts.events.design import DesignApproved
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.events.simulation import FilmRequested
from contracts.models.simulation import Media


def asked_for(approved: DesignApproved, pen: StepEvents) -> FilmRequested | None:
    """Return the request for the film of what was approved; None if nobody knows its scene any more."""
    if approved.delivery.scene is None:
        return None
    digest = approved.result.trajectory_digest
    return pen.next(FilmRequested, scene=approved.delivery.scene, trajectory_digest=digest)


def succeeded(request: EngineeringRequested, approved: DesignApproved, shown: Media | str) -> RunSucceeded:
    """Return the end of a run whose design was approved: with its media, or with the reason why there are none."""
    changes = {"media": shown} if isinstance(shown, Media) else {"media_problem": shown}
    delivery = approved.delivery.model_copy(update=changes)
    return RunSucceeded.answering(request, "planner", delivery=delivery, bill=approved.bill, result=approved.result)
