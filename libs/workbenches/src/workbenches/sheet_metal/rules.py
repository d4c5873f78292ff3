"""Rules for the flat pattern of a sheet and its bends; t is its thickness."""

# pyright: basic
# shapely leaves some of its overloads open; what this module exports is typed.

from collections.abc import Iterator
from itertools import pairwise

import shapely
from contracts.models.design import Finding, WorkbenchRule
from geometry.arrays import as_vector
from geometry.formatting import format_mm, format_point
from parts_catalog.methods.sheet_metal.figures import SheetRules, SheetStock
from shapely import MultiPolygon, Polygon

from workbenches.findings import Measurement, Position, make_finding
from workbenches.sheet_metal.pattern import Bend, FlatPattern, Hole

SLACK = 2e-3
ROUND = 0.9
"""Width over length of a hole that is not a slot."""
CORNER = 0.2
"""Area over width squared of a notch; the closing of a corner leaves less."""


def size(label: str, pattern: FlatPattern, rules: SheetRules) -> list[Finding]:
    """Report a pattern that is larger than a sheet."""
    for measured, most in zip(pattern.size_mm, rules.largest_mm, strict=True):
        if measured > most + SLACK:
            long, wide = pattern.size_mm
            detail = (
                f"{label} is {long:.0f} x {wide:.0f} mm when it is laid flat, a sheet gives {rules.largest_mm[0]:g} x "
                f"{rules.largest_mm[1]:g} mm; make it of two parts"
            )
            measurement = Measurement(measured, most, "mm")
            return [make_finding("sheet_too_large", label, detail, measurement=measurement)]
    return []


def bend_radii(label: str, pattern: FlatPattern, thickness_mm: float, sheet: SheetStock) -> list[Finding]:
    """Report bends whose inner radius is too small for the material."""
    found: list[Finding] = []
    for bend in pattern.bends:
        limits = (sheet.bend_error, sheet.bend_warning)
        found += _below(
            "sheet_bend_radius", label, f"a bend of inner radius {format_mm(max(bend.radius_mm, 0.0))}",
            bend.radius_mm, thickness_mm, limits, _at_bend(bend), "enlarge it, and the outer one with it",
        )  # fmt: skip
    return found


def flanges(label: str, pattern: FlatPattern, thickness_mm: float, rules: SheetRules) -> list[Finding]:
    """Report walls beside a bend that are too low for the die."""
    found: list[Finding] = []
    limits = (rules.flange_error, rules.flange_warning)
    for bend in pattern.bends:
        height = min(bend.flanges_mm, default=None)
        if height is not None:
            what = f"a flange {format_mm(height)} high outside"
            fix = "make it higher"
            found += _below("sheet_flange", label, what, height, thickness_mm, limits, _at_bend(bend), fix)
    return found


def hole_widths(label: str, pattern: FlatPattern, thickness_mm: float, rules: SheetRules) -> list[Finding]:
    """Report holes and slots that are too narrow."""
    found: list[Finding] = []
    for hole in pattern.holes:
        width = _width_mm(hole)
        corners = shapely.get_coordinates(hole.ring.minimum_rotated_rectangle)
        edges = [shapely.Point(a).distance(shapely.Point(b)) for a, b in pairwise(corners)]
        is_round = width >= ROUND * max(edges)
        rule, name = ("sheet_hole", "hole") if is_round else ("sheet_slot", "slot")
        limits = (rules.hole_error, rules.hole_warning)
        what = f"a {name} {format_mm(width)} wide"
        found += _below(rule, label, what, width, thickness_mm, limits, _at_hole(hole), "make it wider, or drill it")
    return found


def notches(label: str, pattern: FlatPattern, thickness_mm: float, rules: SheetRules) -> list[Finding]:
    """Report slots that are open to the outline and too narrow."""
    outline = Polygon(pattern.outline.exterior)
    widest = rules.hole_warning * thickness_mm - SLACK
    closed = outline.buffer(widest / 2, join_style="mitre").buffer(-widest / 2, join_style="mitre")
    found: list[Finding] = []
    for gap in _polygons(closed.difference(outline)):
        if gap.area <= CORNER * widest**2:
            continue
        width = 2 * shapely.maximum_inscribed_circle(gap).length
        limits, what = (rules.hole_error, rules.hole_warning), f"an open slot {format_mm(width)} wide"
        found += _below("sheet_slot", label, what, width, thickness_mm, limits, None, "make it wider")
    return found


def hole_places(label: str, pattern: FlatPattern, thickness_mm: float, rules: SheetRules) -> list[Finding]:
    """Report holes that are too near to an edge, to another hole or to a bend."""
    exterior = pattern.outline.exterior
    found: list[Finding] = []
    for number, hole in enumerate(pattern.holes):
        others = [each.ring for each in pattern.holes[number + 1 :]]
        web = min(hole.ring.distance(each) for each in (exterior, *others))
        at, what = _at_hole(hole), f"a web of {format_mm(web)} beside a hole"
        limits = (rules.edge_error, rules.edge_warning)
        found += _below("sheet_edge", label, what, web, thickness_mm, limits, at, "move the hole inwards")
        gap = min((hole.ring.distance(bend.zone) for bend in pattern.bends), default=None)
        if gap is not None:
            what, limits = f"a hole {format_mm(gap)} from a bend", (rules.bend_hole_error, rules.bend_hole_warning)
            fix = "move it away, or cut a relief"
            found += _below("sheet_hole_to_bend", label, what, gap, thickness_mm, limits, at, fix)
    return found


def _below(  # noqa: PLR0913, PLR0917 - all that a finding states
    rule: WorkbenchRule, label: str, what: str, measured_mm: float, thickness_mm: float,
    limits: tuple[float, float], at: Position | None, fix: str,
) -> Iterator[Finding]:  # fmt: skip
    """Yield a finding if a length is below one of two multiples of the thickness: an error, or a warning."""
    for limit, is_error in zip(limits, (True, False), strict=True):
        if measured_mm < limit * thickness_mm - SLACK:
            place = "" if at is None else f" at {format_point(at.point_mm)}"
            detail = (
                f"{label} has {what}{place}, the {'minimum' if is_error else 'recommended minimum'} is {limit:g} times "
                f"the thickness, {format_mm(limit * thickness_mm)}; {fix}"
            )
            measurement = Measurement(measured_mm, limit * thickness_mm, "mm")
            severity = "error" if is_error else "warning"
            yield make_finding(rule, label, detail, at=at, measurement=measurement, severity=severity)
            return


def _width_mm(hole: Hole) -> float:
    if hole.radius_mm is not None:
        return 2 * hole.radius_mm
    return 2 * float(shapely.maximum_inscribed_circle(hole.ring).length)


def _polygons(shape: object) -> list[Polygon]:
    if isinstance(shape, Polygon):
        return [] if shape.is_empty else [shape]
    return [each for each in shape.geoms if isinstance(each, Polygon)] if isinstance(shape, MultiPolygon) else []


def _at_bend(bend: Bend) -> Position:
    return Position(bend.face, as_vector(bend.point_mm))


def _at_hole(hole: Hole) -> Position:
    return Position(hole.face, as_vector(hole.point_mm))
