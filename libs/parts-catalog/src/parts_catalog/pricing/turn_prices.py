"""The price of turning: bar, machine time, programming and set-ups."""

from dataclasses import dataclass
from math import ceil, pi

from contracts.models.design import Method, PriceBreakdown

from parts_catalog.materials import Material
from parts_catalog.methods.turning.figures import TURNING_RATES, TURNING_RULES, TurningRates
from parts_catalog.pricing.breakdown import breakdown, cutting_minutes, learned
from parts_catalog.pricing.order import Edges, Order

METHOD: Method = "turning"
BLOCK_TOOLS = 3
"""Roughing, finishing, parting."""


@dataclass(frozen=True)
class TurningJob:
    """The quantities that determine the price of turning a part."""

    diameter_mm: float
    length_mm: float
    volume_mm3: float
    area_mm2: float
    milled_mm3: float = 0.0
    """What driven tools take away."""
    milled_features: int = 0
    tools: int = BLOCK_TOOLS
    sides: int = 1
    """From how many ends it is chucked."""


def bar_mm(diameter_mm: float, rates: TurningRates) -> float:
    """Return the diameter of the thinnest bar on sale for a part of this diameter."""
    least = diameter_mm + rates.bar_allowance_mm
    step = next(step for most, step in rates.bar_step_mm if least <= most)
    return ceil(round(least / step, 6)) * step


def turning_price(order: Order, job: TurningJob, rates: TurningRates = TURNING_RATES) -> PriceBreakdown:
    """Return the estimated price of one piece."""
    bar, faced_mm = bar_mm(job.diameter_mm, rates), job.length_mm + 2 * rates.facing_mm
    section_mm2 = pi / 4 * bar**2
    bar_kg = order.material.mass_kg(section_mm2 * (faced_mm + rates.parting_mm))
    material_usd = bar_kg * order.material.prices_usd_per_kg["turning"]
    turned_mm3 = max(section_mm2 * faced_mm - job.volume_mm3 - job.milled_mm3, 0.0)
    minutes = _minutes(order.material, turned_mm3, job, rates) * rates.tolerance_time[order.tolerance_class]
    machine_usd = minutes * learned(order.quantity, rates) / 60 * rates.machine_usd_per_h
    setup_h = rates.setup_h + (job.sides - 1) * rates.second_side_h
    setup_h += rates.driven_setup_h if job.milled_features else 0.0
    fixed_usd = rates.programming_h * rates.programming_usd_per_h + setup_h * rates.machine_usd_per_h
    extra = f", {job.milled_features} milled feature(s)" if job.milled_features else ""
    note = f"bar of {bar:g} mm, {job.sides} set-up(s), {turned_mm3 / 1000:.1f} cm3 turned away{extra}"
    costs = (material_usd, machine_usd, fixed_usd / order.quantity, 0.0)
    return breakdown(costs, rates.margin, minutes, note, job.sides)


def estimate(order: Order, size_mm: Edges, volume_mm3: float, _surface_mm2: float) -> tuple[float, Edges]:
    """Return the price of a round part of this size, whose axis is its most different edge, and the machine's size."""
    short, middle, long = sorted(size_mm)
    diameter, length = (middle, long) if middle - short < long - middle else (long, short)
    round_mm2 = pi * diameter * (diameter / 2 + length)
    job = TurningJob(diameter, length, volume_mm3, round_mm2)
    most = TURNING_RULES.largest_diameter_mm
    return turning_price(order, job).unit_price_usd, (TURNING_RULES.longest_mm, most, most)


def _minutes(material: Material, turned_mm3: float, job: TurningJob, rates: TurningRates) -> float:
    cutting = cutting_minutes(material, turned_mm3, job.area_mm2, rates)
    cutting += job.milled_mm3 / 1000 / (rates.milled_cm3_per_min * rates.speed(material.id))
    handling = rates.feeding_min + (job.sides - 1) * rates.second_side_min + rates.tool_change_min * job.tools
    return cutting + handling + rates.min_per_milled_feature * job.milled_features
