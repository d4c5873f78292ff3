"""What a bought part costs by how many are bought.

No free price list with breaks was found. The shares are estimates, on the careful side of what sellers print: screws
are sold by the hundred and fall most, motors least. Postage is left out, as in every price here.
"""

from collections.abc import Mapping
from itertools import takewhile

from contracts.models.catalog import CatalogPart, Category

Breaks = tuple[tuple[int, float], ...]
"""From so many pieces on, this share of the price of one."""

_OTHERS: Breaks = ((1, 1.0), (10, 0.95), (100, 0.85), (1000, 0.75))
PRICE_BREAKS: Mapping[Category, Breaks] = {
    "fastener": ((1, 1.0), (100, 0.7), (1000, 0.5)),
    "motor": ((1, 1.0), (10, 0.95), (100, 0.85)),
    "electrical": ((1, 1.0), (10, 0.95), (100, 0.85)),
}


def price_breaks(part: CatalogPart) -> tuple[tuple[int, float], ...]:
    """Return from how many pieces on what unit price counts, in USD, fewest pieces first."""
    return tuple((least, share * part.price_usd) for least, share in PRICE_BREAKS.get(part.category, _OTHERS))


def unit_price_usd(part: CatalogPart, pieces: int) -> float:
    """Return what one costs when so many are bought at once, USD; raise `ValueError` for less than one."""
    reached = list(takewhile(lambda each: each[0] <= pieces, price_breaks(part)))
    if not reached:
        raise ValueError(f"{pieces} pieces of {part.id} cannot be bought; ask for at least 1")
    return reached[-1][1]
