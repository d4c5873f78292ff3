"""Figures of several runs, of which some may be unknown."""

from collections.abc import Iterable, Sequence
from statistics import median


def all_known(values: Sequence[float | None]) -> list[float]:
    """Return the values; none of them if one is unknown."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


def median_known(values: Iterable[float | None]) -> float | None:
    """Return the median of the values that are known; None if none is."""
    return median(known) if (known := [value for value in values if value is not None]) else None
