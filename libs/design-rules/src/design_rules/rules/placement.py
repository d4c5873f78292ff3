"""Rules for the position of a part: inside the build zone, outside forbid zones, clear of the payload."""

from collections.abc import Sequence
from itertools import product

from contracts.models.benchmark import Variant, Zone
from contracts.models.design import Finding
from contracts.models.geometry import Box, Vector
from geometry.boxes import TOUCHING_MM
from geometry.formatting import format_direction, format_mm, format_point

from design_rules.bodies.distances import are_touching, box_body, box_separation, overlap, payload_gap_mm
from design_rules.bodies.solid_bodies import Part, SolidBody

BUILD_ZONE_TOLERANCE_MM = 1e-3
PAYLOAD_TOLERANCE_MM = 1e-3
"""Overlap of payload and part that counts as contact: a payload may rest on a part."""


def outside_build_zone(parts: Sequence[Part], zone: Box) -> list[Finding]:
    """Report every part that extends beyond the build zone, and on which sides."""
    findings: list[Finding] = []
    for part in parts:
        sides = _sides_beyond(part.bounds, zone)
        if sides:
            detail = f"{part.label} reaches {'; '.join(sides)}; move or shorten it to stay inside the build zone"
            place_mm = _outermost(part.bounds, zone)
            findings.append(Finding(rule="outside_build_zone", label=part.label, detail=detail, place_mm=place_mm))
    return findings


def _outermost(box: Box, zone: Box) -> Vector:
    """Return the middle of the sides with which a box is beyond a zone."""
    x, y, z = (
        low
        if zone_low - low > max(high - zone_high, BUILD_ZONE_TOLERANCE_MM)
        else high
        if high - zone_high > BUILD_ZONE_TOLERANCE_MM
        else (low + high) / 2
        for low, high, zone_low, zone_high in zip(box.min_mm, box.max_mm, zone.min_mm, zone.max_mm, strict=True)
    )
    return x, y, z


def _sides_beyond(box: Box, zone: Box) -> list[str]:
    sides: list[str] = []
    for axis, name in enumerate("xyz"):
        low, high = box.min_mm[axis], box.max_mm[axis]
        below, above = zone.min_mm[axis] - low, high - zone.max_mm[axis]
        if below > BUILD_ZONE_TOLERANCE_MM:
            limit = format_mm(zone.min_mm[axis])
            sides.append(f"{name} = {format_mm(low)}, {format_mm(below)} below the limit of {limit}")
        if above > BUILD_ZONE_TOLERANCE_MM:
            limit = format_mm(zone.max_mm[axis])
            sides.append(f"{name} = {format_mm(high)}, {format_mm(above)} above the limit of {limit}")
    return sides


def inside_forbid_zones(parts: Sequence[Part], zones: Sequence[Zone]) -> list[Finding]:
    """Report every part whose exact shape touches a forbid zone, even slightly."""
    bodies = [box_body(zone.label, zone.box) for zone in zones]
    return [_inside(part, zone) for part in parts for zone in bodies if are_touching(part, zone, TOUCHING_MM)]


def _inside(part: Part, zone: SolidBody) -> Finding:
    common, apart = overlap(part, zone), box_separation(part, zone)
    out = max(-apart.gap_mm, 0.0)
    depth = out if part.box is not None or common is None else common.depth_mm
    detail = (
        f"{part.label} around {format_point(part.bounds.center_mm)} reaches {format_mm(depth)} into forbid zone "
        f"{zone.label} ({format_point(zone.bounds.min_mm)} to {format_point(zone.bounds.max_mm)}), not even touching "
        f"it is allowed; move it more than {format_mm(out)} along {format_direction(apart.opposite_direction)}"
    )
    place_mm = part.bounds.center_mm if common is None else common.center_mm
    return Finding(rule="inside_forbid_zone", label=part.label, detail=detail, place_mm=place_mm)


def on_payload(parts: Sequence[Part], variant: Variant) -> list[Finding]:
    """Report every part that overlaps a payload at its start."""
    findings: list[Finding] = []
    for payload, part in product(variant.payloads, parts):
        gap = payload_gap_mm(payload, part)
        if gap < -PAYLOAD_TOLERANCE_MM:
            detail = (
                f"{part.label} overlaps {payload.label}, the {payload.shape} of {payload.size_text} released "
                f"at {format_point(payload.start_mm)}, by {format_mm(-gap)}; leave that space free, touching is allowed"
            )
            finding = Finding(rule="interference", label=part.label, detail=detail, place_mm=payload.start_mm)
            findings.append(finding)
    return findings
