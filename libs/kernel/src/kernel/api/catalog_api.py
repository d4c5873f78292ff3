"""How a script finds and takes what is sold: `from utils import catalog`."""

from collections.abc import Sequence
from typing import Any, Protocol

from contracts.models.catalog import CatalogFind

from kernel.api import mechanism_api


class NoCatalogError(RuntimeError):
    """This Python process cannot ask the catalog."""


class CatalogClient(Protocol):
    """Who asks the catalog's search agent for a kernel."""

    def search_catalog(self, words: str, limit: int, quantity: int) -> tuple[Sequence[CatalogFind], str]:
        """Return what fits, best first, and a note."""
        ...


_connected: list[CatalogClient] = []


def connect(clerk: CatalogClient) -> None:
    """Give this process its way to the catalog."""
    _connected[:] = [clerk]


def search(words: str, limit: int = 5, quantity: int = 1) -> list[CatalogFind]:
    """Find what is sold, in words: `catalog.search("a 12 V gear motor with at least 1 N m, cheap")`.

    Say one kind of thing, with figures and units. Prints and returns at most `limit` parts, best first, each with `id`,
    `name`, `what`, `figures`, `unit_price_usd`, `confidence` and `reason`; `catalog.part(id)` makes one.
    """
    if not _connected:
        raise NoCatalogError("catalog.search works only in a cell of a Millwright kernel")
    found, note = _connected[0].search_catalog(words, limit, quantity)
    print(finds_markdown(found, note))  # noqa: T201 - the agent reads it
    return list(found)


def part(part_id: str) -> Any:  # noqa: ANN401 - a build123d Part, which this package does not know
    """Return a bought part by its id, to be moved and turned, never cut or scaled; it costs what the catalog says.

    A motor's shaft is +z at its origin; its data stand in `part.motor`, all that is known in `part.catalog`. An unknown
    id raises an error that names what comes near.
    """
    return mechanism_api.catalog_part(part_id)


def finds_markdown(found: Sequence[CatalogFind], note: str) -> str:
    """Return what was found as a table."""
    if not found:
        return f"Nothing fits. {note}".strip()
    head = "| id | what | USD | why | figures are |\n|---|---|---|---|---|\n"
    lines = [
        f"| {find.id} | {find.name}; {find.what} | {find.unit_price_usd:.2f} | {find.reason} | {find.confidence} |"
        for find in found
    ]
    return head + "\n".join(lines) + (f"\n\n{note}" if note else "")
