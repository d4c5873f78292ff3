"""The sheet metal workbench: its rules for one part, and the price."""

from typing import ClassVar

from contracts.models.design import Finding, Method, PriceBreakdown
from geometry.formatting import format_mm, format_point
from parts_catalog.methods.sheet_metal.figures import SHEET_RATES, SHEET_RULES, SHEETS, SheetRules
from parts_catalog.pricing.sheet_prices import SheetJob, sheet_price

from workbenches.findings import Measurement, make_finding
from workbenches.interface import PartOrder
from workbenches.part_mesh import PartMesh
from workbenches.sheet_metal.pattern import FlatPattern, flat_pattern
from workbenches.sheet_metal.rules import bend_radii, flanges, hole_places, hole_widths, notches, size
from workbenches.sheet_metal.skins import Fault, SheetPart, sheet_of


class SheetMetalBench:
    """A laser and a press brake."""

    method: ClassVar[Method] = "sheet_metal"

    def findings(self, part: PartMesh, order: PartOrder) -> tuple[Finding, ...]:
        """Apply every rule; to what is not one sheet, no other."""
        label, sheet = order.label, sheet_of(part)
        if isinstance(sheet, Fault):
            return (_finding(label, sheet),)
        stock = _stock(label, sheet, order.material.id, SHEET_RULES)
        if sheet.faults or stock:
            return (*stock, *(_finding(label, fault) for fault in sheet.faults))
        pattern = flat_pattern(sheet, SHEETS[order.material.id].k_factor)
        if isinstance(pattern, Fault):
            return (_finding(label, pattern),)
        thickness_mm = sheet.thickness_mm
        return (
            *size(label, pattern, SHEET_RULES),
            *bend_radii(label, pattern, thickness_mm, SHEETS[order.material.id]),
            *flanges(label, pattern, thickness_mm, SHEET_RULES),
            *hole_widths(label, pattern, thickness_mm, SHEET_RULES),
            *notches(label, pattern, thickness_mm, SHEET_RULES),
            *hole_places(label, pattern, thickness_mm, SHEET_RULES),
        )

    def price(self, part: PartMesh, order: PartOrder) -> PriceBreakdown:
        """Return the estimated price of one piece; of what does not lie flat, that of a square of its volume."""
        pattern, thickness_mm = pattern_of(part, order.material.id)
        if pattern is None:
            edge = (part.volume_mm3 / thickness_mm) ** 0.5
            return sheet_price(order, SheetJob(thickness_mm, (edge, edge), 4 * edge, 1, 0, 0), SHEET_RATES)
        radii = {round(bend.radius_mm, 3) for bend in pattern.bends}
        job = SheetJob(
            thickness_mm, pattern.size_mm, pattern.cut_mm, 1 + len(pattern.holes), len(pattern.bends), len(radii)
        )
        return sheet_price(order, job, SHEET_RATES)


BENCH = SheetMetalBench()


def pattern_of(part: PartMesh, material_id: str) -> tuple[FlatPattern | None, float]:
    """Return the flat pattern of a part, None if it has none, and its thickness in millimetres."""
    sheet = sheet_of(part)
    if isinstance(sheet, Fault):
        return None, float(part.extents_mm.min())
    if sheet.faults:
        return None, sheet.thickness_mm
    pattern = flat_pattern(sheet, SHEETS[material_id].k_factor)
    return None if isinstance(pattern, Fault) else pattern, sheet.thickness_mm


def _stock(label: str, sheet: SheetPart, material_id: str, rules: SheetRules) -> list[Finding]:
    stock = SHEETS[material_id].thicknesses_mm
    nearest = min(stock, key=lambda each: abs(each - sheet.thickness_mm))
    if abs(nearest - sheet.thickness_mm) <= rules.thickness_slack_mm:
        return []
    detail = (
        f"{label} is {format_mm(sheet.thickness_mm)} thick; {material_id} comes in "
        f"{', '.join(f'{each:g}' for each in stock)} mm: make it {format_mm(nearest)}"
    )
    measurement = Measurement(sheet.thickness_mm, nearest, "mm")
    return [make_finding("sheet_stock", label, detail, measurement=measurement)]


def _finding(label: str, fault: Fault) -> Finding:
    place = "" if fault.at is None else f", at {format_point(fault.at.point_mm)},"
    return make_finding(fault.rule, label, f"{label}{place} {fault.text}", at=fault.at, measurement=fault.measurement)
