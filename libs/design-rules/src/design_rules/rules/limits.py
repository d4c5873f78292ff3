"""Rules for the whole machine: its price, mass and number of parts."""

from operator import itemgetter

from contracts.models.benchmark import Assignment, Limits
from contracts.models.design import BillOfMaterials, Finding
from documents.quote import masses_by_label, prices_by_label

from design_rules.rules.cheaper_ways import best_change
from design_rules.rules.manufacturability import Inspection


def exceeded_limits(
    parts: int, inspection: Inspection, bill: BillOfMaterials | None, assignment: Assignment
) -> list[Finding]:
    """Report every limit that is exceeded, by a design of so many parts. Price and mass need a bill."""
    limits = assignment.limits
    findings = [_too_many(parts, limits), _over_price(inspection, bill, assignment), _over_mass(bill, limits)]
    return [finding for finding in findings if finding is not None]


def _too_many(parts: int, limits: Limits) -> Finding | None:
    if limits.max_parts is None or parts <= limits.max_parts:
        return None
    detail = f"the machine has {parts} parts, the limit is {limits.max_parts}; join parts or leave some out"
    return Finding(rule="too_many_parts", detail=detail)


def _over_price(inspection: Inspection, bill: BillOfMaterials | None, assignment: Assignment) -> Finding | None:
    most_usd = assignment.limits.max_unit_price_usd
    if bill is None or most_usd is None or bill.unit_price_usd <= most_usd:
        return None
    most, price_usd = max(prices_by_label(bill).items(), key=itemgetter(1))
    change = best_change(inspection)
    advice = (
        "make parts thinner, shorter (small printers cost less) or fewer, print high walls as flat plates, or change "
        "method or material"
    )
    detail = (
        f"one machine costs {bill.unit_price_usd:.2f} USD at a quantity of {bill.quantity}, the limit is "
        f"{most_usd:.2f} USD; the most expensive item is {most} at {price_usd:.2f} USD: "
        + (advice if change is None else f"{change.text}; or {advice}")
    )
    return Finding(rule="over_price", label=most, detail=detail)


def _over_mass(bill: BillOfMaterials | None, limits: Limits) -> Finding | None:
    if bill is None or limits.max_mass_kg is None or bill.mass_kg <= limits.max_mass_kg:
        return None
    most, mass_kg = max(masses_by_label(bill).items(), key=itemgetter(1))
    detail = (
        f"the machine weighs {bill.mass_kg * 1000:.1f} g, the limit is {limits.max_mass_kg * 1000:.1f} g; the "
        f"heaviest item is {most} with {mass_kg * 1000:.1f} g: make parts thinner or of a lighter material"
    )
    return Finding(rule="over_mass", label=most, detail=detail)
