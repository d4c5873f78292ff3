"""The price of sheet metal: the sheet, cut length, pierces, bends and set-ups."""

from dataclasses import dataclass
from itertools import pairwise
from math import exp, log

from contracts.models.design import Method, PriceBreakdown

from parts_catalog.methods.sheet_metal.figures import SHEET_RATES, SHEET_RULES, SHEETS, SheetRates
from parts_catalog.pricing.breakdown import breakdown, learned
from parts_catalog.pricing.order import Edges, Order

METHOD: Method = "sheet_metal"
THICK_MM = 3.0
"""From here on, piercing takes longer."""


@dataclass(frozen=True)
class SheetJob:
    """The quantities that determine the price of a part of sheet metal."""

    thickness_mm: float
    pattern_mm: tuple[float, float]
    """Size of the flat pattern."""
    cut_mm: float
    """Length of all cuts."""
    pierces: int
    bends: int
    radii: int
    """Different bend radii, each of which needs a tool."""


def cutting_speed_m_per_min(material_id: str, thickness_mm: float) -> float:
    """Return the speed of the laser."""
    speeds = SHEETS[material_id].speeds_m_per_min
    (thin, fast), (thick, slow) = next(
        (pair for pair in pairwise(speeds) if thickness_mm <= pair[1][0]), (speeds[-2], speeds[-1])
    )
    share = (thickness_mm - thin) / (thick - thin)
    return exp(log(fast) + share * (log(slow) - log(fast)))


def sheet_price(order: Order, job: SheetJob, rates: SheetRates = SHEET_RATES) -> PriceBreakdown:
    """Return the estimated price of one piece."""
    wide, long = (edge + 2 * rates.border_mm for edge in job.pattern_mm)
    sheet_kg = order.material.mass_kg(wide * long * job.thickness_mm) / rates.used_share
    material_usd = sheet_kg * order.material.prices_usd_per_kg["sheet_metal"]
    learning = learned(order.quantity, rates)
    pierces_min = job.pierces * rates.pierce_s * max(1.0, job.thickness_mm / THICK_MM) / 60
    laser_min = job.cut_mm / 1000 / cutting_speed_m_per_min(order.material.id, job.thickness_mm) + pierces_min
    laser_min += rates.handling_min * learning
    brake_min = rates.bend_min * job.bends * learning * rates.tolerance_time[order.tolerance_class]
    machine_usd = laser_min / 60 * rates.laser_usd_per_h + brake_min / 60 * rates.brake_usd_per_h
    fixed_usd = rates.programming_h * rates.programming_usd_per_h + rates.laser_setup_h * rates.laser_usd_per_h
    fixed_usd += job.radii * rates.brake_setup_h * rates.brake_usd_per_h
    note = (
        f"{job.pattern_mm[0]:.0f} x {job.pattern_mm[1]:.0f} mm of {job.thickness_mm:g} mm sheet, "
        f"{job.cut_mm / 1000:.2f} m cut, {job.pierces} pierce(s), {job.bends} bend(s)"
    )
    costs = (material_usd, machine_usd, fixed_usd / order.quantity, 0.0)
    return breakdown(costs, rates.margin, laser_min + brake_min, note, 1 + job.radii)


def estimate(order: Order, size_mm: Edges, volume_mm3: float, surface_mm2: float) -> tuple[float, Edges]:
    """Return the price of a flat part of this outer size, and the machine's size.

    A hollow part, lighter than its box, is bent of the thickest sheet that its mass gives: two sides, four bends.
    """
    thin, wide, long = sorted(size_mm)
    thickest = SHEETS[order.material.id].thicknesses_mm[-1]
    bends = 0 if thin <= thickest and volume_mm3 > 0.99 * thin * wide * long else 4
    thickness = thin if not bends else min(2 * volume_mm3 / surface_mm2, thickest)
    width = volume_mm3 / thickness / long if bends else wide
    job = SheetJob(thickness, (width, long), 2 * (width + long), 1, bends, 1 if bends else 0)
    return sheet_price(order, job).unit_price_usd, (*SHEET_RULES.largest_mm, thickest if not bends else max(size_mm))
