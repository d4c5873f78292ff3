"""The price of one piece from its costs, as of every method."""

from math import log2

from contracts.models.design import PriceBreakdown

Costs = tuple[float, float, float, float]
"""Of material, machine, set-ups and tooling, in USD; the last two are a piece's share of the order's."""


def breakdown(costs: Costs, margin: float, minutes: float, note: str, setups: int = 0) -> PriceBreakdown:
    """Return the price of a piece with these costs."""
    material_usd, machine_usd, setup_usd, tooling_usd = costs
    return PriceBreakdown(
        material_usd=material_usd,
        machine_usd=machine_usd,
        setup_usd=setup_usd,
        tooling_usd=tooling_usd,
        margin_usd=sum(costs) * (margin - 1),
        unit_price_usd=sum(costs) * margin,
        machine_min=minutes,
        setups=setups,
        notes=(note,),
    )


def learned(quantity: int, learning: float, least: float) -> float:
    """Return the factor on the time of a piece in an order: `learning` whenever it doubles, never below `least`."""
    return max(quantity ** log2(learning), least)
