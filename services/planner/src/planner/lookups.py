"""What the planner looks up before it plans: catalog searches, estimates and files, one after the other.

A search is a request, which the catalog answers. Estimates and files need no worker: the planner answers them itself
and publishes the answer, so that the log has it and the thread goes on as after any other event.
"""

from agent.journal.entries import fenced
from agent.loop.replies import MalformedReplyError
from agent.loop.role import StepEvents
from agent.loop.tool_calls import name_of
from contracts.envelope import Event
from contracts.events.catalog import CatalogSearchRequested
from contracts.events.conversation import ToolAnswered
from contracts.events.run import EngineeringRequested
from pydantic import BaseModel

from planner.estimates import MAX_ESTIMATES, EstimatePrice, estimate_markdown
from planner.notes import PlannerNotes
from planner.replies import MAX_SEARCHES, CatalogSearch
from planner.workspace import MAX_VIEWS, MissingFileError, PlannerWorkspace, ViewDocument

MAX_FOUND = 5
"""Parts per catalog search."""

Lookup = CatalogSearch | EstimatePrice | ViewDocument
LOOKUPS: tuple[type[Lookup], ...] = (CatalogSearch, EstimatePrice, ViewDocument)
_LIMITS: dict[type[Lookup], tuple[str, int, str]] = {
    CatalogSearch: ("The catalog was searched", MAX_SEARCHES, "searches are made: plan with what was found"),
    EstimatePrice: ("Prices were estimated", MAX_ESTIMATES, "estimates are made: plan with what was estimated"),
    ViewDocument: ("Files were shown", MAX_VIEWS, "files are shown: plan with what was read"),
}


def require_lookups_left(arguments: list[BaseModel], notes: PlannerNotes) -> None:
    """Raise `MalformedReplyError` if a reply looks up more than a run may."""
    done = {CatalogSearch: notes.searches, EstimatePrice: notes.estimates, ViewDocument: notes.views}
    for kind, (what, most, fix) in _LIMITS.items():
        wanted = sum(isinstance(each, kind) for each in arguments)
        if wanted and done[kind] + wanted > most:
            raise MalformedReplyError(f"{what} {done[kind]} times, and at most {most} {fix}.")


async def look_up(
    lookup: Lookup,
    notes: PlannerNotes,
    request: EngineeringRequested,
    workspace: PlannerWorkspace,
    events: StepEvents,
) -> tuple[PlannerNotes, Event]:
    """Return the notes after a lookup, and its request or its answer."""
    match lookup:
        case CatalogSearch(words=words):
            quantity = request.assignment.quantity
            requested = CatalogSearchRequested(**events.next(), words=words, limit=MAX_FOUND, quantity=quantity)
            return notes.model_copy(update={"searches": notes.searches + 1}), requested
        case EstimatePrice():
            notes = notes.model_copy(update={"estimates": notes.estimates + 1})
            answer = estimate_markdown(lookup, request.assignment, MAX_ESTIMATES - notes.estimates)
            return notes, _answered(lookup, answer, events)
        case ViewDocument(path=path):
            notes = notes.model_copy(update={"views": notes.views + 1})
            try:
                text = await workspace.read(path, notes.proposed, notes.skills)
            except MissingFileError as error:
                return notes, _answered(lookup, str(error), events, has_failed=True)
            return notes, _answered(lookup, f"`{path}`:\n\n{fenced(text)}", events)


def _answered(lookup: Lookup, answer: str, events: StepEvents, *, has_failed: bool = False) -> ToolAnswered:
    return ToolAnswered(
        **events.next(),
        tool=name_of(type(lookup)),
        arguments_json=lookup.model_dump_json(exclude_none=True),
        answer_md=answer,
        has_failed=has_failed,
    )
