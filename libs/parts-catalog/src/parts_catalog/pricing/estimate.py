"""The price and mass of a part before it is drawn: from its outer size, method and material.

A block is priced by the same formulas as a drawn one. A hollow part, such as a channel, is given by its volume: its
surface, and so the filament in its shell, is an assumption.
"""

from collections.abc import Callable, Mapping
from math import prod

from contracts.model import Model
from contracts.models.design import Method

from parts_catalog.methods.registry import METHODS
from parts_catalog.methods.workshop_figures import (
    CNC_RATES,
    CNC_RULES,
    FILAMENT_RATES,
    FILAMENT_RULES,
    MOULD_RATES,
    MOULD_RULES,
    POWDER_RATES,
    POWDER_RULES,
)
from parts_catalog.pricing import sheet_prices, turn_prices
from parts_catalog.pricing.infill import made_mass_kg
from parts_catalog.pricing.mill_prices import ROUGHING_AND_FINISHING, MillingJob, envelope_of, milling_price
from parts_catalog.pricing.mould_prices import MouldingJob, moulding_price
from parts_catalog.pricing.order import Edges, Order
from parts_catalog.pricing.print_prices import (
    PrintJob,
    filament_price,
    holds,
    is_powder,
    powder_price,
    printer_for,
)

_HOLLOW_SURFACE = 1.5
"""[E] surface of a channel over that of the block around it: both sides of its floor and walls, without a lid."""
_BLOCK_FACES = 3
"""Different ones."""
_BLOCK_SETUPS = 2
"""A block is clamped from two sides."""


class InvalidPartError(ValueError):
    """No part has this volume, method and material; the message says why."""


class PartEstimate(Model):
    """What one piece costs and weighs, estimated from its size."""

    mass_g: float
    unit_price_usd: float
    machine_mm: Edges
    """The largest part of the machine that makes it."""
    fits: bool
    """Whether the machine holds the part."""


def estimate_part(order: Order, method: Method, size_mm: Edges, volume_mm3: float | None = None) -> PartEstimate:
    """Estimate a part of this outer size: a block, or a hollow part of that volume. Raises `InvalidPartError`."""
    if method not in order.material.methods:
        raise InvalidPartError(f"{order.material.id} needs {' or '.join(order.material.methods)}, not {method}")
    block_mm3 = prod(size_mm) * METHODS[method].block_share
    if volume_mm3 is not None and volume_mm3 > block_mm3:
        raise InvalidPartError(
            f"a block of this size has {block_mm3 / 1000:.1f} cm3, less than the {volume_mm3 / 1000:g} cm3 given"
        )
    volume_mm3 = block_mm3 if volume_mm3 is None else volume_mm3
    surface_mm2 = _surface_mm2(size_mm, volume_mm3)
    price_usd, machine_mm = _PRICES[method](order, size_mm, volume_mm3, surface_mm2)
    return PartEstimate(
        mass_g=1000 * made_mass_kg(order.material, method, volume_mm3, surface_mm2),
        unit_price_usd=price_usd,
        machine_mm=machine_mm,
        fits=holds(machine_mm, size_mm),
    )


def _surface_mm2(size_mm: Edges, volume_mm3: float) -> float:
    x, y, z = size_mm
    block_mm2 = 2 * (x * y + y * z + z * x)
    return block_mm2 if volume_mm3 >= prod(size_mm) else _HOLLOW_SURFACE * block_mm2


def _printed(order: Order, size_mm: Edges, volume_mm3: float, surface_mm2: float) -> tuple[float, Edges]:
    powder = is_powder(order.material)
    printer = printer_for(size_mm, POWDER_RULES if powder else FILAMENT_RULES)
    job = PrintJob(
        volume_mm3=volume_mm3,
        area_mm2=surface_mm2,
        support_mm3=0.0,
        height_mm=min(size_mm),
        box_mm=size_mm,
        usd_per_h=printer.usd_per_h,
    )
    price = powder_price(order, job, POWDER_RATES) if powder else filament_price(order, job, FILAMENT_RATES)
    return price.unit_price_usd, printer.build_volume_mm


def _milled(order: Order, size_mm: Edges, volume_mm3: float, surface_mm2: float) -> tuple[float, Edges]:
    job = MillingJob(
        size_mm=size_mm,
        volume_mm3=volume_mm3,
        area_mm2=surface_mm2,
        setups=_BLOCK_SETUPS,
        tools=ROUGHING_AND_FINISHING,
    )
    return milling_price(order, job, CNC_RATES).unit_price_usd, envelope_of(order.material, CNC_RULES)


def _moulded(order: Order, size_mm: Edges, volume_mm3: float, surface_mm2: float) -> tuple[float, Edges]:
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


_PRICES: Mapping[Method, Callable[[Order, Edges, float, float], tuple[float, Edges]]] = {
    "3d_printing": _printed,
    "cnc": _milled,
    "injection_molding": _moulded,
    "turning": turn_prices.estimate,
    "sheet_metal": sheet_prices.estimate,
}
"""Price of a piece and size of the machine, of an order, outer size, volume and surface."""
