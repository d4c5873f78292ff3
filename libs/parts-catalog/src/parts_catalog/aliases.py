"""Aliases of catalog ids: the CSV row of a part that has a data sheet, and a ball bearing's bare code."""

from collections.abc import Mapping
from functools import cache

from parts_catalog.rows import CatalogRow, catalog_rows

_SOCKET_HEADS = (
    *("m2x8", "m2.5x10", "m3x8", "m3x12", "m3x20", "m4x12", "m4x20"),
    *("m5x16", "m5x30", "m6x20", "m6x40", "m8x30"),
)
ROW_OF_DATASHEET: Mapping[str, str] = {
    "sg90": "srv-sg90",
    "mg90s": "srv-mg90s",
    "mg996r": "srv-mg996r",
    "pololu-n20-hpcb-75": "n20-hpcb12-75",
    "608zz": "brg-608",
    **{f"iso4762-{size}": f"shcs-{size}" for size in _SOCKET_HEADS},
}
"""From the id of a data sheet to the id of the CSV row that describes the same part."""


def rows_without_datasheet() -> list[CatalogRow]:
    """Return the rows of parts whose figures come from their row alone."""
    described = set(ROW_OF_DATASHEET.values())
    return [row for row in catalog_rows() if row.id not in described]


def canonical(part_id: str) -> str:
    """Return the catalog id for an id or alias, in lower case; an unknown id is returned as it is."""
    lower = part_id.lower()
    return aliases().get(lower, lower)


def aliases_of(part_id: str) -> tuple[str, ...]:
    """Return all aliases of a part."""
    return tuple(alias for alias, target in aliases().items() if target == part_id)


@cache
def aliases() -> Mapping[str, str]:
    """Return every alias with the id it stands for."""
    by_row = {row_id: sheet_id for sheet_id, row_id in ROW_OF_DATASHEET.items()}
    bearings = [row for row in catalog_rows() if row.category == "bearing"]
    return {**by_row, **{str(row.spec["code"]): by_row.get(row.id, row.id) for row in bearings}}
