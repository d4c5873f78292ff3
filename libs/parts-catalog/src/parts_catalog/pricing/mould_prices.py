"""The price of moulding: one mould, and seconds of a press for each piece."""

from dataclasses import dataclass
from math import log, pi, prod

from contracts.models.design import Method, PriceBreakdown

from parts_catalog.methods.workshop_figures import MOULD_RATES, MOULD_RULES, MouldRates
from parts_catalog.pricing.breakdown import breakdown
from parts_catalog.pricing.order import Edges, Order

METHOD: Method = "injection_molding"
_BLOCK_FACES = 3
"""Different ones, of a block."""
PLATE_MARGIN_MM = 75.0
"""Excess length of the mould's plates on each side of the part; [E]"""


@dataclass(frozen=True)
class MouldingJob:
    """The quantities that determine the price of moulding a part."""

    volume_mm3: float
    wall_mm: float
    """The thickest wall, which cools last."""
    size_mm: Edges
    """Along the part's own axes, the pull direction last."""
    projected_mm2: float
    distinct_faces: int
    side_actions: int


def moulding_price(order: Order, job: MouldingJob, rates: MouldRates) -> PriceBreakdown:
    """Return the estimated price of one piece."""
    tooling_usd = _tooling_usd(order, job, rates) / order.quantity
    cooling_s = job.wall_mm**2 / (pi**2 * rates.diffusivity_mm2_per_s) * log(4 / pi * rates.melt_over_eject)
    cycle_s = rates.filling_s + cooling_s + rates.opening_s
    material = order.material
    bought_kg = material.mass_kg(job.volume_mm3) * rates.scrap
    material_usd = bought_kg * material.prices_usd_per_kg["injection_molding"]
    machine_usd = cycle_s / 3600 * rates.press_usd_per_h + rates.handling_usd
    note = (
        f"mould {tooling_usd * order.quantity:.0f} USD, {job.side_actions} side action(s), "
        f"{job.distinct_faces} different faces; {cycle_s:.0f} s per piece, {cooling_s:.0f} s of it cooling"
    )
    return breakdown((material_usd, machine_usd, 0.0, tooling_usd), rates.margin, cycle_s / 60, note)


def estimate(order: Order, size_mm: Edges, volume_mm3: float, surface_mm2: float) -> tuple[float, Edges]:
    """Return the price of a block, or of a hollow part of this volume, and the size of the machine."""
    thin, wide, long = sorted(size_mm)
    job = MouldingJob(
        volume_mm3=volume_mm3,
        wall_mm=min(thin, 2 * volume_mm3 / surface_mm2) if volume_mm3 < prod(size_mm) else thin,
        size_mm=(wide, long, thin),
        projected_mm2=wide * long,
        distinct_faces=_BLOCK_FACES,
        side_actions=0,
    )
    return moulding_price(order, job, MOULD_RATES).unit_price_usd, MOULD_RULES.envelope_mm


def _tooling_usd(order: Order, job: MouldingJob, rates: MouldRates) -> float:
    plate_cm2 = (job.size_mm[0] + 2 * PLATE_MARGIN_MM) * (job.size_mm[1] + 2 * PLATE_MARGIN_MM) / 100
    plates_cm = (job.size_mm[2] + 2 * PLATE_MARGIN_MM) / 10
    base_usd = rates.base_usd + rates.base_usd_per_cm2 * plate_cm2 * plates_cm**0.4
    projected_cm2 = job.projected_mm2 / 100
    hours = rates.feature_h * (0.1 * job.distinct_faces) ** 1.27 + rates.fixed_h
    hours += rates.area_h * projected_cm2**0.5 + 0.085 * projected_cm2**1.2
    hours += rates.side_action_h * job.side_actions
    return base_usd + hours * rates.tolerance_tooling[order.tolerance_class] * rates.toolmaker_usd_per_h
