"""The price of one piece from its costs, as of every method, and what several methods compute alike."""

from math import log2

from contracts.models.design import PriceBreakdown

from parts_catalog.materials import Material
from parts_catalog.methods.workshop_figures import CuttingRates, LearningRates

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


def learned(quantity: int, rates: LearningRates) -> float:
    """Return the factor on the time of a piece in an order."""
    return max(quantity ** log2(rates.learning), rates.least_learning)


def cutting_minutes(material: Material, removed_mm3: float, area_mm2: float, rates: CuttingRates) -> float:
    """Return the time to cut away a volume and to finish a surface."""
    speed = rates.speed(material.id)
    roughing = removed_mm3 / 1000 / (rates.removal_cm3_per_min * speed)
    return roughing + area_mm2 / 100 / (rates.finishing_cm2_per_min * speed**0.5)
