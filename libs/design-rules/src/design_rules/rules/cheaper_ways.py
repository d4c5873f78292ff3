"""The method that would save most, for a machine above its price limit."""

from collections import Counter
from dataclasses import dataclass

from contracts.models.design import Method
from parts_catalog.materials import MATERIALS
from parts_catalog.methods.registry import METHODS
from workbenches.interface import PartOrder
from workbenches.quote import PartQuote, quote_part

from design_rules.bodies.solid_bodies import Part
from design_rules.rules.manufacturability import Inspection

MOST_KINDS = 3
"""Of parts that are quoted by all methods, the dearest ones: a quote by all of them takes up to a second."""


@dataclass(frozen=True)
class CheaperWay:
    """Another method for the same solid, which its workbench can make."""

    label: str
    count: int
    """Of equal parts."""
    now: PartQuote
    then: PartQuote

    @property
    def saving_usd(self) -> float:
        """For one machine."""
        return self.count * (self.now.price.unit_price_usd - self.then.price.unit_price_usd)

    @property
    def text(self) -> str:
        """The change and its prices."""
        pieces = "" if self.count == 1 else f" and the {self.count - 1} equal to it"
        return (
            f"if its load allows, make {self.label}{pieces} by {_way(self.then)} in place of {_way(self.now)}, each "
            f"{self.now.price.unit_price_usd - self.then.price.unit_price_usd:.2f} USD cheaper"
        )


def best_change(inspection: Inspection) -> CheaperWay | None:
    """Return the change of method that saves most among the dearest parts of a design; None if none saves anything."""
    counts = Counter(inspection.kinds.values())
    quotes = inspection.quotes
    kinds = [part for part in inspection.parts if part.label in counts and part.label in quotes]
    dearest = sorted(kinds, key=lambda part: -counts[part.label] * quotes[part.label].price.unit_price_usd)[:MOST_KINDS]
    ways = [
        CheaperWay(part.label, counts[part.label], quotes[part.label], other)
        for part in dearest
        for method in METHODS
        if not (other := _quote(part, quotes[part.label], method)).errors
    ]
    best = max(ways, key=lambda way: way.saving_usd, default=None)
    return best if best is not None and best.saving_usd > 0 else None


def _quote(part: Part, now: PartQuote, method: Method) -> PartQuote:
    if method == now.method:
        return now
    order = PartOrder(
        label=part.label,
        material=MATERIALS[METHODS[method].usual_material],
        quantity=now.order.quantity,
        tolerance_class=now.order.tolerance_class,
    )
    return quote_part(part.solid, method, order)


def _way(quote: PartQuote) -> str:
    return f"{quote.method} in {quote.order.material.id} ({quote.price.unit_price_usd:.2f} USD)"
