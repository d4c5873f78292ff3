"""Teeth: what they add to the price of a wheel or rack, whose model may be a plain disc or a straight side."""

from math import ceil

from contracts.models.design import Method
from parts_catalog.methods.registry import METHODS

PITCH_MM = 3.1416
"""[E] of module 1, the module of most gears in the catalog."""


def tooth_count(length_mm: float) -> int:
    """Return the number of teeth on a pitch line: a wheel's pitch circle, or the travel on a rack."""
    return max(1, ceil(length_mm / PITCH_MM - 1e-9))


def teeth_price_usd(method: Method, length_mm: float, quantity: int) -> float:
    """Return the estimated price of one piece's teeth in an order of `quantity`, in USD."""
    return METHODS[method].teeth.usd(tooth_count(length_mm), quantity)
