"""The price of milling: stock, machine time, programming and set-ups."""

from dataclasses import dataclass
from math import prod

from contracts.models.design import Method, PriceBreakdown

from parts_catalog.materials import Material
from parts_catalog.methods.workshop_figures import CNC_RATES, CNC_RULES, CncRates, CncRules
from parts_catalog.pricing.breakdown import breakdown, cutting_minutes, learned
from parts_catalog.pricing.order import Edges, Order

METHOD: Method = "cnc"
_BLOCK_SETUPS = 2
"""A block is clamped from two sides."""
ROUGHING_AND_FINISHING = 2
"""Tools of any job, in addition to those for holes and corners."""


@dataclass(frozen=True)
class MillingJob:
    """The quantities that determine the price of milling a part."""

    size_mm: Edges
    """Along its own axes."""
    volume_mm3: float
    area_mm2: float
    setups: int
    tools: int


def envelope_of(material: Material, rules: CncRules) -> Edges:
    """Return the largest workpiece of this material."""
    return rules.aluminum_envelope_mm if material.id.startswith("aluminum") else rules.envelope_mm


def milling_price(order: Order, job: MillingJob, rates: CncRates) -> PriceBreakdown:
    """Return the estimated price of one piece."""
    stock_mm3 = prod(edge + rates.stock_allowance_mm for edge in job.size_mm)
    material_usd = order.material.mass_kg(stock_mm3) * order.material.prices_usd_per_kg["cnc"]
    minutes = _minutes(order.material, stock_mm3 - job.volume_mm3, job, rates)
    minutes *= rates.tolerance_time[order.tolerance_class]
    machine_usd = minutes * learned(order.quantity, rates) / 60 * rates.machine_usd_per_h
    fixed_usd = rates.programming_h * rates.programming_usd_per_h
    fixed_usd += job.setups * rates.setup_h * rates.machine_usd_per_h
    removed_cm3 = (stock_mm3 - job.volume_mm3) / 1000
    note = f"{job.setups} set-up(s), {job.tools} tools, {removed_cm3:.1f} cm3 cut away"
    costs = (material_usd, machine_usd, fixed_usd / order.quantity, 0.0)
    return breakdown(costs, rates.margin, minutes, note, job.setups)


def estimate(order: Order, size_mm: Edges, volume_mm3: float, surface_mm2: float) -> tuple[float, Edges]:
    """Return the price of a block, or of a hollow part of this volume, and the size of the machine."""
    job = MillingJob(
        size_mm=size_mm,
        volume_mm3=volume_mm3,
        area_mm2=surface_mm2,
        setups=_BLOCK_SETUPS,
        tools=ROUGHING_AND_FINISHING,
    )
    return milling_price(order, job, CNC_RATES).unit_price_usd, envelope_of(order.material, CNC_RULES)


def _minutes(material: Material, removed_mm3: float, job: MillingJob, rates: CncRates) -> float:
    cutting = cutting_minutes(material, removed_mm3, job.area_mm2, rates)
    return cutting + rates.tool_change_min * job.tools + rates.clamping_min * job.setups
