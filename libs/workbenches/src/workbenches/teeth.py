"""Teeth: what they add to the price of a wheel or rack, whose model may be a plain disc or a straight side."""

from math import ceil

from contracts.models.design import Method
from parts_catalog.pricing.configuration import TeethRates

RATES = TeethRates()


def tooth_count(length_mm: float) -> int:
    """Return the number of teeth on a pitch line: a wheel's pitch circle, or the travel on a rack."""
    return max(1, ceil(length_mm / RATES.pitch_mm - 1e-9))


def teeth_price_usd(method: Method, length_mm: float, quantity: int) -> float:
    """Return the estimated price of one piece's teeth in an order of `quantity`, in USD."""
    teeth = tooth_count(length_mm)
    match method:
        case "3d_printing":
            return teeth * RATES.printing_usd_per_tooth
        case "cnc":
            return teeth * RATES.cutting_usd_per_tooth + RATES.cutting_setup_usd / quantity
        case "injection_molding":
            return teeth * RATES.mould_usd_per_tooth / quantity
