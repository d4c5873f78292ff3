"""What is sold, looked up while planning: a tool call becomes a search, and what was found its answer."""

from agent.loop.replies import MalformedReplyError
from agent.rendering.tables import number, table
from contracts.events.catalog import CatalogSearched, CatalogSearchFailed
from contracts.models.conversation import Message
from pydantic import BaseModel, ConfigDict, Field, ValidationError

MAX_SEARCHES = 5
"""In one run: a plan names what is bought, it does not compare all that is sold."""
MAX_FOUND = 5

_TOOL = "search_catalog"


class SearchCatalog(BaseModel):
    """Find what is sold, in words: one kind of thing, with figures and units."""

    model_config = ConfigDict(title=_TOOL, extra="forbid", strict=True)

    words: str = Field(
        min_length=1, max_length=500, description="Such as `a 12 V gear motor with at least 1 N m, cheap`."
    )


def read_search(reply: Message, searches: int) -> SearchCatalog:
    """Return what the reply's only tool call looks for; raise `MalformedReplyError`."""
    if len(reply.tool_calls) != 1:
        raise MalformedReplyError(f"One tool call at a time: the reply had {len(reply.tool_calls)}.")
    (call,) = reply.tool_calls
    if call.name != _TOOL:
        raise MalformedReplyError(f"There is no tool `{call.name}`; there is `{_TOOL}(words)`.")
    if searches >= MAX_SEARCHES:
        raise MalformedReplyError(f"The catalog was searched {searches} times: plan with what was found.")
    try:
        return SearchCatalog.model_validate_json(call.arguments_json)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise MalformedReplyError(f"`{_TOOL}` takes `words` and nothing else: {faults}") from error


def search_markdown(event: CatalogSearched | CatalogSearchFailed, searches: int) -> str:
    """Return what came of a search as the model reads it, and how many more there may be."""
    left = f"{MAX_SEARCHES - searches} searches are left."
    if isinstance(event, CatalogSearchFailed):
        return f"The search failed ({event.reason}): {event.detail}\n\n{left}"
    if not event.found:
        return f"Nothing fits. {event.note}\n\n{left}"
    rows = [
        (find.id, f"{find.name}; {find.what}", number(find.unit_price_usd), find.reason, find.confidence)
        for find in event.found
    ]
    found = table(("id", "what", "USD", "why", "figures are"), rows)
    return "\n\n".join(part for part in (found, event.note, left) if part)
