"""The price of cutting by water jet: the plate and the time of the cut."""

from contracts.models.design import PriceBreakdown
from parts_catalog.pricing.breakdown import breakdown
from parts_catalog.pricing.order import Edges, Order

from millwright_workshop.waterjet.facts import FACTS, LARGEST_MM

JET_USD_PER_H = 120.0
MM2_PER_MIN = 900.0
"""Cut face per minute, of aluminium."""
SETUP_USD = 25.0
USED_SHARE = 0.7
"""Of a plate, by the parts on it."""


def jet_price(order: Order, plate_mm3: float, cut_mm2: float) -> PriceBreakdown:
    """Return the price of one piece, of the plate around it and its cut faces."""
    plate_kg = order.material.mass_kg(plate_mm3) / USED_SHARE
    minutes = cut_mm2 / MM2_PER_MIN
    costs = (
        plate_kg * order.material.prices_usd_per_kg[FACTS.id],
        minutes / 60 * JET_USD_PER_H,
        SETUP_USD / order.quantity,
        0.0,
    )
    return breakdown(costs, 1.3, minutes, f"{cut_mm2:.0f} mm2 cut", 1)


def estimate(order: Order, size_mm: Edges, volume_mm3: float, surface_mm2: float) -> tuple[float, Edges]:
    """Return the price of a plate of this outer size, and the machine's size."""
    thin, wide, long = sorted(size_mm)
    return jet_price(
        order, thin * wide * long, max(surface_mm2 - 2 * volume_mm3 / thin, 0.0)
    ).unit_price_usd, LARGEST_MM
