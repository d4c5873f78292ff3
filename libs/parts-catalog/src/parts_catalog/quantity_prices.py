"""Quantity prices of bought parts.

No free price list with quantity breaks was found. The shares are cautious estimates: screws are sold by the hundred and
get the largest discount, motors the smallest. Postage is left out, as in every price here.
"""

from collections.abc import Mapping
from itertools import takewhile

from contracts.models.catalog import CatalogPart, Category

Breaks = tuple[tuple[int, float], ...]
"""Least number of pieces, and the share of the single price that applies from there on."""

_OTHERS: Breaks = ((1, 1.0), (10, 0.95), (100, 0.85), (1000, 0.75))
PRICE_BREAKS: Mapping[Category, Breaks] = {
    "fastener": ((1, 1.0), (100, 0.7), (1000, 0.5)),
    "motor": ((1, 1.0), (10, 0.95), (100, 0.85)),
    "electrical": ((1, 1.0), (10, 0.95), (100, 0.85)),
}


def price_breaks(part: CatalogPart) -> tuple[tuple[int, float], ...]:
    """Return (least number of pieces, unit price in USD) of each price break, fewest pieces first."""
    return tuple((least, share * part.price_usd) for least, share in PRICE_BREAKS.get(part.category, _OTHERS))


def unit_price_usd(part: CatalogPart, pieces: int) -> float:
    """Return the unit price in USD when `pieces` are bought at once; raise `ValueError` for less than one."""
    reached = list(takewhile(lambda price_break: price_break[0] <= pieces, price_breaks(part)))
    if not reached:
        raise ValueError(f"{pieces} pieces of {part.id} cannot be bought; ask for at least 1")
    return reached[-1][1]
