"""What milling a part costs: stock, machine time, programming and clampings."""

from dataclasses import dataclass
from math import log2

import numpy as np
from contracts.models.design import PriceBreakdown
from parts_catalog.materials import Material

from workbenches.configuration import CncRates
from workbenches.interface import Order
from workbenches.part_mesh import Floats
from workbenches.round_faces import RoundFace

ROUGHING_AND_FINISHING = 2
"""Tools of any job, besides those for holes and corners."""


@dataclass(frozen=True)
class Job:
    """What a part asks of the mill."""

    size_mm: Floats
    """(3,), along its own axes."""
    volume_mm3: float
    area_mm2: float
    setups: int
    tools: int


def price(order: Order, job: Job, rates: CncRates) -> PriceBreakdown:
    """Return the estimate for a part."""
    stock_mm3 = float(np.prod(job.size_mm + rates.stock_allowance_mm))
    material_usd = stock_mm3 * 1e-9 * order.material.density_kg_m3 * order.material.prices_usd_per_kg["cnc"]
    minutes = _minutes(order.material, stock_mm3 - job.volume_mm3, job, rates)
    minutes *= rates.tolerance_time[order.tolerance_class]
    learned = max(order.quantity ** log2(rates.learning), rates.least_learning)
    machine_usd = minutes * learned / 60 * rates.machine_usd_per_h
    fixed_usd = rates.programming_h * rates.programming_usd_per_h
    fixed_usd += job.setups * rates.setup_h * rates.machine_usd_per_h
    cost_usd = material_usd + machine_usd + fixed_usd / order.quantity
    removed_cm3 = (stock_mm3 - job.volume_mm3) / 1000
    return PriceBreakdown(
        material_usd=material_usd,
        machine_usd=machine_usd,
        setup_usd=fixed_usd / order.quantity,
        margin_usd=cost_usd * (rates.margin - 1),
        unit_price_usd=cost_usd * rates.margin,
        machine_min=minutes,
        setups=job.setups,
        notes=(f"{job.setups} clamping(s), {job.tools} tools, {removed_cm3:.1f} cm3 cut away",),
    )


def tools_for(rounds: list[RoundFace]) -> int:
    """Return how many tools are changed in: a drill for every diameter of hole, a mill for every corner radius."""
    inner = {(hole.is_all_round, round(hole.radius_mm, 2)) for hole in rounds if hole.is_inner}
    return ROUGHING_AND_FINISHING + len(inner)


def _minutes(material: Material, removed_mm3: float, job: Job, rates: CncRates) -> float:
    speed = rates.machinability.get(material.id, 1.0)
    roughing = removed_mm3 / 1000 / (rates.removal_cm3_per_min * speed)
    finishing = job.area_mm2 / 100 / (rates.finishing_cm2_per_min * speed**0.5)
    return roughing + finishing + rates.tool_change_min * job.tools + rates.clamping_min * job.setups
