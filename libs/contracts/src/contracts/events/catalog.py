"""What is sold: parts that are bought and not made, and how they are found."""

from typing import Annotated, ClassVar, Literal
from uuid import UUID

from pydantic import Field, PositiveInt, StringConstraints

from contracts.envelope import Event, Request
from contracts.models.catalog import (
    CatalogFind,
)


class CatalogSearched(Event):
    """What was found, best first; nothing, if nothing fits."""

    found: tuple[CatalogFind, ...]
    note: str = ""
    """What the asker should know besides, such as what does not fit."""
    queries: tuple[str, ...] = ()
    """The SQL that was run."""


class CatalogSearchFailed(Event):
    """The search could not be done."""

    reason: Literal["model_failed", "too_many_queries"]
    detail: str


class CatalogSearchRequested(Request):
    """Somebody describes in words what is needed."""

    owner: ClassVar = "catalog"
    outcomes: ClassVar = (CatalogSearched, CatalogSearchFailed)

    words: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    """Such as `a 12 V gear motor with at least 1 N m, cheap`."""
    limit: Annotated[int, Field(ge=1, le=20)] = 5
    """How many parts to propose at most."""
    quantity: PositiveInt = 1
    """How many pieces are to be bought: prices may fall with it."""
    model: str | None = None
    """Which model searches, `offline` being rules; None: the one that the run is worked on with."""


class CatalogQueried(Event):
    """The catalog's search agent looked something up, and hears of it itself."""

    search_id: UUID
    """Of the request that it works on."""
    sql: str
    answer_md: str
    """Rows, or why the query was refused, as its model reads it."""
    was_refused: bool = False
