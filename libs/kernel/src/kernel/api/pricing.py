"""Prices: of parts and assemblies that are built, and of boxes before anything is built."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, isfinite, nan
from typing import cast

from contracts.models.design import BillOfMaterials, Finding
from contracts.models.label import label_from
from documents.quote import errors_of, masses_by_label, prices_by_label, pricing_markdown

from kernel.api.host_tools import host_tools
from kernel.api.mechanism_api import geometry

MAX_QUANTITY = 1_000_000


class Pricing(float):
    """The unit price in USD, as a number; with what the workbenches found, and the price and mass of each part.

    `pricing["leg"]` is the price of one part. It is `nan` if something in it has no price.
    """

    findings: tuple[Finding, ...]
    """Errors, which must be fixed before a submission, and warnings."""
    prices_usd: Mapping[str, float]
    """By part label; bought parts by catalog id, all pieces together, glue as `epoxy`."""
    masses_kg: Mapping[str, float]

    def __new__(cls, findings: Sequence[Finding], bill: BillOfMaterials | None) -> "Pricing":
        """Return the pricing of a bill; None: something has no price."""
        pricing = super().__new__(cls, nan if bill is None else bill.unit_price_usd)
        pricing.findings = tuple(findings)
        pricing.prices_usd = {} if bill is None else prices_by_label(bill)
        pricing.masses_kg = {} if bill is None else masses_by_label(bill)
        return pricing

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that must be fixed."""
        return tuple(errors_of(self.findings))

    @property
    def is_makeable(self) -> bool:
        """Whether nothing must be fixed and everything has a price."""
        return isfinite(self) and not self.errors

    @property
    def mass_kg(self) -> float:
        """Mass of all parts together."""
        return sum(self.masses_kg.values())

    @property
    def problem(self) -> str:
        """The first finding that must be fixed, in one line; empty if it is makeable."""
        if self.is_makeable:
            return ""
        first = next(iter(self.errors), None)
        return f"not makeable as it is: {'it has no price' if first is None else f'{first.rule}, {first.detail}'}"

    def __getitem__(self, label: str) -> float:
        return self.prices_usd[label_from(label)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.prices_usd)

    def keys(self) -> Iterable[str]:
        """Return the labels of the parts."""
        return self.prices_usd.keys()

    def values(self) -> Iterable[float]:
        """Return the prices of the parts."""
        return self.prices_usd.values()

    def items(self) -> Iterable[tuple[str, float]]:
        """Return label and price of each part."""
        return self.prices_usd.items()

    def __repr__(self) -> str:
        if not isfinite(self):
            return f"no price: {len(self.errors)} findings must be fixed, see .findings"
        faults = f", {len(self.errors)} findings must be fixed, see .findings" if self.errors else ", makeable"
        return f"{float(self):.2f} USD, {1000 * self.mass_kg:.1f} g{faults}"

    __str__ = __repr__


def validate_and_price(component: object) -> Pricing:
    """Print findings and prices of a part or an assembly; return its unit price in USD, with all of that.

    `pricing["leg"]` is the price of a part, `pricing.findings` what the workbenches found, `pricing.is_makeable`
    whether a submission would pass them. Nothing that they find stops the cell.
    """
    tools = host_tools("validate_and_price")
    findings, bill = tools.quote(component)
    print(pricing_markdown(findings, bill, tools.limits))  # noqa: T201 - the agent reads it
    return Pricing(findings, bill)


def price(
    thing: object,
    method: str | None = None,
    material: str | None = None,
    *,
    quantity: int | None = None,
    volume_cm3: float | None = None,
) -> Pricing:
    """Return the unit price in USD of a part or an assembly, or of a box of a size in mm; print nothing.

    `price((60, 40, 4), "3d_printing", "pla")`: before anything is built. With `volume_cm3` it is a tray of that much
    material, open at the top, instead of a solid block. `quantity`, 1 to 1,000,000, is that of the order if not given.
    """
    tools = host_tools("price")
    if quantity is not None and not 1 <= quantity <= MAX_QUANTITY:
        raise ValueError(f"quantity={quantity}: 1 to {MAX_QUANTITY} pieces can be priced")
    size_mm = _size(thing)
    if size_mm is None:
        if method is not None or material is not None or volume_cm3 is not None:
            raise TypeError("a part has its own method, material and volume: price(part), price(part, quantity=100)")
        component = thing
    elif method is None or material is None:
        raise TypeError('a size needs method and material: price((60, 40, 4), "3d_printing", "pla")')
    else:
        component = geometry().tray(size_mm, _tray_wall(size_mm, volume_cm3), str(method), material)
    return Pricing(*tools.quote(component, quantity))


def _size(thing: object) -> tuple[float, float, float] | None:
    """Return a size in millimetres; None for anything else, such as a part."""
    if not isinstance(thing, tuple | list):
        return None
    fix = "give three edges in mm, such as (60, 40, 4)"
    try:
        x, y, z = (float(edge) for edge in cast("Sequence[float]", thing))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{thing!r:.100} is not a size: {fix}") from error
    if not all(0 < edge < inf for edge in (x, y, z)):
        raise ValueError(f"{thing!r:.100} is not a size: {fix}")
    return x, y, z


def _tray_wall(size_mm: tuple[float, float, float], volume_cm3: float | None) -> float | None:
    """Return wall and floor of the open tray with this volume; None for a solid block."""
    x, y, z = size_mm
    block_cm3 = x * y * z / 1000
    if volume_cm3 is None or volume_cm3 == block_cm3:
        return None
    if not 0 < volume_cm3 < block_cm3:
        raise ValueError(f"volume_cm3={volume_cm3}: the box holds {block_cm3:.4g} cm3, give more than 0 and less")
    low, high = 0.0, min(x / 2, y / 2, z)
    for _ in range(60):
        wall = (low + high) / 2
        hollow_cm3 = (x - 2 * wall) * (y - 2 * wall) * (z - wall) / 1000
        low, high = (wall, high) if block_cm3 - hollow_cm3 < volume_cm3 else (low, wall)
    return high
