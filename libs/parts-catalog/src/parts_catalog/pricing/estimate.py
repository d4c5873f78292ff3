"""The price and mass of a part before it is drawn: from its outer size, method and material.

A block is priced by the same formulas as a drawn one. A hollow part, such as a channel, is given by its volume: its
surface, and so the filament in its shell, is an assumption.
"""

from collections.abc import Callable
from importlib import import_module
from math import prod
from pkgutil import iter_modules

from contracts.model import Model
from contracts.models.design import Method

from parts_catalog import pricing
from parts_catalog.methods.registry import METHODS, package_modules
from parts_catalog.pricing.infill import made_mass_kg
from parts_catalog.pricing.order import Edges, Order
from parts_catalog.pricing.print_prices import holds

_Estimate = Callable[[Order, Edges, float, float], tuple[float, Edges]]
"""Returns price of a piece and size of the machine, of an order, outer size, volume and surface."""
_HOLLOW_SURFACE = 1.5
"""[E] surface of a channel over that of the block around it: both sides of its floor and walls, without a lid."""


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
    price_usd, machine_mm = _ESTIMATES[method](order, size_mm, volume_mm3, surface_mm2)
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


def _estimates() -> dict[Method, _Estimate]:
    """Return the estimate of each method: a module `…_prices` of this folder adds one, and `prices` of a package."""
    names = [found.name for found in iter_modules(pricing.__path__) if found.name.endswith("_prices")]
    modules = [import_module(f"{pricing.__name__}.{name}") for name in names]
    found: dict[Method, _Estimate] = {module.METHOD: module.estimate for module in modules}
    found.update({method: module.estimate for method, module in package_modules("prices")})
    return found


_ESTIMATES = _estimates()
