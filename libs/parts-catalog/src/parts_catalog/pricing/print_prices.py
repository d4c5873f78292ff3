"""The price of printing, with filament or by laser sintering."""

from dataclasses import dataclass
from math import prod

from contracts.models.design import Method, PriceBreakdown

from parts_catalog.materials import Material
from parts_catalog.methods.workshop_figures import (
    FILAMENT_RATES,
    FILAMENT_RULES,
    POWDER_RATES,
    POWDER_RULES,
    FilamentRates,
    PowderRates,
    Printer,
    PrintRules,
)
from parts_catalog.pricing.breakdown import breakdown
from parts_catalog.pricing.order import Edges, Order

METHOD: Method = "3d_printing"
CM3_PER_MM3 = 1e-3
SLACK_MM = 1e-6
_LEAST_NAMED_CM3 = 0.05


@dataclass(frozen=True)
class PrintJob:
    """The quantities that determine the price of printing a part."""

    volume_mm3: float
    area_mm2: float
    support_mm3: float
    """Room under overhangs."""
    overhang_mm2: float
    """Of overhangs, seen from above."""
    upright_mm2: float
    """Of the surface, as its outlines in all layers show it."""
    box_mm: Edges
    """Size of the bounding box along its own axes."""
    usd_per_h: float
    """Of the machine."""


def is_powder(material: Material) -> bool:
    """Tell whether a material is sintered from powder; all others are filaments."""
    return material.id.endswith("-sls")


def printer_for(size_mm: Edges, rules: PrintRules) -> Printer:
    """Return the first machine that holds a part, or the largest if none does."""
    fitting = (each for each in rules.printers if holds(each.build_volume_mm, size_mm))
    return next(fitting, rules.printers[-1])


def holds(envelope_mm: Edges, size_mm: Edges) -> bool:
    """Tell whether a box of this size fits into an envelope, turned as it fits best."""
    return all(edge <= most + SLACK_MM for edge, most in zip(sorted(size_mm), sorted(envelope_mm), strict=True))


def filled_mm3(volume_mm3: float, area_mm2: float, shell_mm: float, infill: float) -> float:
    """Return the filament in a part of this volume and surface: its shell and infill."""
    shell_mm3 = min(area_mm2 * shell_mm, volume_mm3)
    return shell_mm3 + infill * (volume_mm3 - shell_mm3)


def filament_price(order: Order, job: PrintJob, rates: FilamentRates) -> PriceBreakdown:
    """Return the estimate for filament: shell, infill and support, and the time to lay them."""
    support_cm3 = CM3_PER_MM3 * (rates.support_density * job.support_mm3 + rates.support_rim_mm * job.overhang_mm2**0.5)
    part_cm3 = CM3_PER_MM3 * filled_mm3(job.volume_mm3, job.area_mm2, rates.shell_mm, rates.infill)
    laid_cm3 = part_cm3 + support_cm3
    minutes = rates.wall_min_per_cm2 * job.upright_mm2 / 100 + rates.laid_min_per_cm3 * part_cm3
    minutes += rates.support_min_per_cm3 * support_cm3
    layers = rates.slicer_layer_mm / rates.layers_mm[order.tolerance_class]
    hours = (rates.start_min + minutes * layers) / 60
    material_usd = laid_cm3 * 1e-6 * order.material.density_kg_m3 * order.material.prices_usd_per_kg["3d_printing"]
    machine_usd = hours * job.usd_per_h * rates.scrap + rates.handling_usd
    support = f", {support_cm3:.1f} cm3 of it support" if support_cm3 >= _LEAST_NAMED_CM3 else ""
    note = f"{laid_cm3:.1f} cm3 of filament{support}"
    costs = (material_usd * rates.scrap, machine_usd, rates.setup_usd / order.quantity, 0.0)
    return breakdown(costs, rates.margin, hours * 60, note)


def powder_price(order: Order, job: PrintJob, rates: PowderRates) -> PriceBreakdown:
    """Return the estimate for laser sintering: powder, and the space in the chamber."""
    volume_cm3, box_cm3 = job.volume_mm3 * CM3_PER_MM3, prod(job.box_mm) * CM3_PER_MM3
    material = order.material
    material_usd = (
        volume_cm3 * 1e-6 * material.density_kg_m3 * material.prices_usd_per_kg["3d_printing"] * rates.refresh
    )
    share = (volume_cm3 + rates.box_share * box_cm3) / (rates.packing * rates.chamber_cm3)
    hours = share * rates.build_h
    machine_usd = hours * job.usd_per_h + rates.handling_usd
    costs = (material_usd, machine_usd, rates.setup_usd / order.quantity, 0.0)
    return breakdown(costs, rates.margin, hours * 60, f"{share:.2%} of the chamber")


def estimate(order: Order, size_mm: Edges, volume_mm3: float, surface_mm2: float) -> tuple[float, Edges]:
    """Return the price of a block, or of a hollow part of this volume, and the size of the machine."""
    powder = is_powder(order.material)
    thin, wide, long = sorted(size_mm)
    printer = printer_for(size_mm, POWDER_RULES if powder else FILAMENT_RULES)
    job = PrintJob(
        volume_mm3=volume_mm3,
        area_mm2=surface_mm2,
        support_mm3=0.0,
        overhang_mm2=0.0,
        upright_mm2=max(surface_mm2 - 2 * wide * long, 2 * (wide + long) * thin),
        box_mm=size_mm,
        usd_per_h=printer.usd_per_h,
    )
    price = powder_price(order, job, POWDER_RATES) if powder else filament_price(order, job, FILAMENT_RATES)
    return price.unit_price_usd, printer.build_volume_mm
