"""Events about searches for bought parts in the catalog."""

from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import Field, PositiveInt, StringConstraints

from contracts.envelope import Event, Request
from contracts.event_line import EventLine
from contracts.models.catalog import CatalogFind
from contracts.outcomes import FailureOutcome


class CatalogSearched(Event):
    """The parts that were found, best first; none if no part fits."""

    found: tuple[CatalogFind, ...]
    note: str = ""
    """Further information for the requester, such as what does not fit."""
    queries: tuple[str, ...] = ()
    """The SQL queries that were run."""

    def line(self) -> EventLine:
        found = ", ".join(f"{part.id} ({part.unit_price_usd:.2f} USD)" for part in self.found)
        return EventLine(f"catalog found {found or 'nothing'}")


CatalogFailureReason = Literal["model_failed", "too_many_queries"]


class CatalogSearchFailed(FailureOutcome[CatalogFailureReason]):
    """The search failed."""

    summary: ClassVar = "catalog search failed"


class CatalogSearchRequested(Request):
    """A request for parts that match a description in prose."""

    publishers: ClassVar = ("planner", "cad-worker")
    owner: ClassVar = "catalog"
    outcomes: ClassVar = (CatalogSearched, CatalogSearchFailed)

    words: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    """For example `a 12 V gear motor with at least 1 N m, cheap`."""
    limit: Annotated[int, Field(ge=1, le=20)] = 5
    """Maximum number of parts to propose."""
    quantity: PositiveInt = 1
    """Number of pieces to buy: prices may fall with the quantity."""
    model: str | None = None
    """The model that searches; `offline` is the rule-based expert. None: the model of the run."""

    def line(self) -> EventLine:
        return EventLine(f"catalog search: {self.words}", "detail")


class CatalogQueried(Event):
    """The catalog's search agent ran a query; the agent itself consumes this event to continue."""

    publishers: ClassVar = ("catalog",)
    unconsumed: ClassVar = "catalog processes it directly on the way to its answer"

    search_id: UUID
    """Id of the search request."""
    sql: str
    answer_md: str
    """The rows found, or the reason why the query was refused, as shown to the model."""
    was_refused: bool = False

    def line(self) -> EventLine:
        return EventLine(f"catalog query{' refused' if self.was_refused else ''}: {self.sql}", "detail")
