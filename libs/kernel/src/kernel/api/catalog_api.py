"""Parts that can be bought: `from utils import catalog`."""

from collections.abc import Sequence
from typing import Any

from contracts.models.catalog import CatalogFind
from documents.markdown import table

from kernel.api import mechanism_api
from kernel.api.host_tools import NoCatalogError, host_tools


def search(words: str, limit: int = 5, quantity: int = 1) -> list[CatalogFind]:
    """Search the catalog by a description: `catalog.search("a 12 V gear motor with at least 1 N m, cheap")`.

    Describe one kind of part, with figures and units. Prints and returns at most `limit` parts, best first, each with
    `id`, `name`, `what`, `figures`, `unit_price_usd`, `confidence` and `reason`; `catalog.part(id)` creates one.
    """
    found, note = host_tools("catalog.search", NoCatalogError).search_catalog(words, limit, quantity)
    print(_finds_markdown(found, note))  # noqa: T201 - the agent reads it
    return list(found)


def part(part_id: str) -> Any:  # noqa: ANN401 - a build123d Part, which this package does not know
    """Return a bought part by its id. Move and rotate it, but never cut or scale it; it costs its catalog price.

    The shaft of a motor is +z at its origin, and its ratings are in `part.motor`; `part.catalog` has everything that is
    known. The error for an unknown id suggests similar ones.
    """
    return mechanism_api.catalog_part(part_id)


def _finds_markdown(found: Sequence[CatalogFind], note: str) -> str:
    if not found:
        return f"No part matches. {note}".strip()
    rows = [
        (find.id, f"{find.name}; {find.what}", f"{find.unit_price_usd:.2f}", find.reason, find.confidence)
        for find in found
    ]
    return table(("id", "what", "USD", "why", "confidence"), rows) + (f"\n\n{note}" if note else "")
