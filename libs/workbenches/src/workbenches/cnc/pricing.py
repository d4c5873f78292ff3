"""The price of milling: stock, machine time, programming and set-ups."""

from dataclasses import dataclass
from math import log2

import numpy as np
from contracts.models.design import PriceBreakdown
from geometry.arrays import FloatArray
from parts_catalog.materials import Material

from workbenches.configuration import CncRates
from workbenches.interface import PartOrder
from workbenches.round_faces import RoundFace

ROUGHING_AND_FINISHING = 2
"""Tools of any job, in addition to those for holes and corners."""


@dataclass(frozen=True)
class MillingJob:
    """The quantities that determine the price of milling a part."""

    size_mm: FloatArray
    """(3,), along its own axes."""
    volume_mm3: float
    area_mm2: float
    setups: int
    tools: int


def milling_price(order: PartOrder, job: MillingJob, rates: CncRates) -> PriceBreakdown:
    """Return the estimated price of one piece."""
    stock_mm3 = float(np.prod(job.size_mm + rates.stock_allowance_mm))
    material_usd = stock_mm3 * 1e-9 * order.material.density_kg_m3 * order.material.prices_usd_per_kg["cnc"]
    minutes = _minutes(order.material, stock_mm3 - job.volume_mm3, job, rates)
    minutes *= rates.tolerance_time[order.tolerance_class]
    learning = max(order.quantity ** log2(rates.learning), rates.least_learning)
    machine_usd = minutes * learning / 60 * rates.machine_usd_per_h
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
        notes=(f"{job.setups} set-up(s), {job.tools} tools, {removed_cm3:.1f} cm3 cut away",),
    )


def tool_count(rounds: list[RoundFace]) -> int:
    """Return the number of tools: a drill for every hole diameter, a mill for every corner radius."""
    inner = {(face.is_full, round(face.radius_mm, 2)) for face in rounds if face.is_inner}
    return ROUGHING_AND_FINISHING + len(inner)


def _minutes(material: Material, removed_mm3: float, job: MillingJob, rates: CncRates) -> float:
    speed = rates.machinability.get(material.id, 1.0)
    roughing = removed_mm3 / 1000 / (rates.removal_cm3_per_min * speed)
    finishing = job.area_mm2 / 100 / (rates.finishing_cm2_per_min * speed**0.5)
    return roughing + finishing + rates.tool_change_min * job.tools + rates.clamping_min * job.setups
