"""Rules about where a part stands: inside the build zone, away from forbid zones, off the payload."""

from collections.abc import Sequence

from contracts.models.benchmark import Variant, Zone
from contracts.models.design import Finding
from contracts.models.geometry import Box
from geometry.boxes import TOUCHING_MM
from geometry.formatting import format_direction, format_mm, format_point
from workbenches.finding_text import opposite

from cad_worker.validation.bodies import Block, Part
from cad_worker.validation.distances import block_of, overlap, payload_gap_mm, touch, way_out

BUILD_ZONE_TOLERANCE_MM = 1e-3
PAYLOAD_TOLERANCE_MM = 1e-3
"""A payload may rest on a part: this much overlap is touch."""


def outside_build_zone(parts: Sequence[Part], zone: Box) -> list[Finding]:
    """Report every part that reaches beyond the build zone, and on which sides."""
    found: list[Finding] = []
    for part in parts:
        sides = _sides_beyond(part.around, zone)
        if sides:
            detail = f"{part.label} reaches {'; '.join(sides)}; move or shorten it to stay inside the build zone"
            found.append(Finding(rule="outside_build_zone", label=part.label, detail=detail))
    return found


def _sides_beyond(box: Box, zone: Box) -> list[str]:
    sides: list[str] = []
    for axis, name in enumerate("xyz"):
        below, above = zone.min_mm[axis] - box.min_mm[axis], box.max_mm[axis] - zone.max_mm[axis]
        if below > BUILD_ZONE_TOLERANCE_MM:
            sides.append(
                f"{name} = {format_mm(box.min_mm[axis])}, {format_mm(below)} below the limit of {format_mm(zone.min_mm[axis])}"
            )
        if above > BUILD_ZONE_TOLERANCE_MM:
            sides.append(
                f"{name} = {format_mm(box.max_mm[axis])}, {format_mm(above)} above the limit of {format_mm(zone.max_mm[axis])}"
            )
    return sides


def inside_forbid_zones(parts: Sequence[Part], zones: Sequence[Zone]) -> list[Finding]:
    """Report every part whose true shape touches a forbid zone, even slightly."""
    solids = [block_of(zone.label, zone.box) for zone in zones]
    return [_touching(part, zone) for part in parts for zone in solids if touch(part, zone, TOUCHING_MM)]


def _touching(part: Part, zone: Block) -> Finding:
    common, apart = overlap(part, zone), way_out(part, zone)
    out = max(-apart.gap_mm, 0.0)
    depth = out if part.box is not None or common is None else common.depth_mm
    detail = (
        f"{part.label} around {format_point(part.around.center_mm)} touches forbid zone {zone.label} "
        f"({_corners(zone.around)}), reaches {format_mm(depth)} into it, 0 mm is the limit and not "
        f"even touching is allowed; move it more than {format_mm(out)} along {format_direction(opposite(apart.direction))}"
    )
    return Finding(rule="inside_forbid_zone", label=part.label, detail=detail)


def _corners(box: Box) -> str:
    return f"{format_point(box.min_mm)} to {format_point(box.max_mm)}"


def on_payload(parts: Sequence[Part], variant: Variant) -> list[Finding]:
    """Report every part that stands where the payload is released."""
    found: list[Finding] = []
    for part in parts:
        gap = payload_gap_mm(variant.payload, part)
        if gap < -PAYLOAD_TOLERANCE_MM:
            payload = variant.payload
            detail = (
                f"{part.label} overlaps {payload.label}, the {payload.shape} of {format_mm(payload.size_mm)} released at "
                f"{format_point(payload.start_mm)}, by {format_mm(-gap)}; leave that space free, touching is allowed"
            )
            found.append(Finding(rule="interference", label=part.label, detail=detail))
    return found
