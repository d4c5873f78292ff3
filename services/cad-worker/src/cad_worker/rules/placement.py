"""Rules about where a part stands: inside the build zone, away from forbid zones, off the payload."""

from collections.abc import Sequence

import numpy as np
from contracts.benchmark import Payload, Variant, Zone
from contracts.design import Finding
from contracts.geometry import Box

from cad_worker.bodies import Block, Part
from cad_worker.geometry.boxes import OrientedBox
from cad_worker.geometry.proximity import TOUCHING_MM, near, separation
from cad_worker.rules.wording import mm, opposite, place, towards

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
            sides.append(f"{name} = {mm(box.min_mm[axis])}, {mm(below)} below the limit of {mm(zone.min_mm[axis])}")
        if above > BUILD_ZONE_TOLERANCE_MM:
            sides.append(f"{name} = {mm(box.max_mm[axis])}, {mm(above)} above the limit of {mm(zone.max_mm[axis])}")
    return sides


def inside_forbid_zones(parts: Sequence[Part], zones: Sequence[Zone]) -> list[Finding]:
    """Report every part that touches a forbid zone, even slightly."""
    found = (_touch(part, zone) for part in parts for zone in zones)
    return [finding for finding in found if finding is not None]


def _touch(part: Part, zone: Zone) -> Finding | None:
    if not near(part.around, zone.box, TOUCHING_MM):
        return None
    apart = separation(part.box or OrientedBox.of(part.around), OrientedBox.of(zone.box))
    if apart.gap_mm > TOUCHING_MM:
        return None
    depth = mm(max(-apart.gap_mm, 0.0))
    detail = (
        f"{part.label} around {place(part.around.center_mm)} touches forbid zone {zone.label} ({_corners(zone.box)}), "
        f"reaches {depth} into it, 0 mm is the limit and not even touching is allowed; move it more than {depth} along "
        f"{towards(opposite(apart.direction))}"
    )
    return Finding(rule="inside_forbid_zone", label=part.label, detail=detail)


def _corners(box: Box) -> str:
    return f"{place(box.min_mm)} to {place(box.max_mm)}"


def payload_gap_mm(payload: Payload, box: OrientedBox) -> float:
    """Return the gap between payload and box at the start; negative: their overlap."""
    if payload.shape == "cube":
        return separation(OrientedBox.of(payload.box), box).gap_mm
    outside = box.distance_to_point_mm(payload.start_mm)
    if outside > 0:
        return outside - payload.size_mm / 2
    inside = np.abs(box.axes @ (np.array(payload.start_mm) - box.center_mm)) - box.size_mm / 2
    return float(inside.max()) - payload.size_mm / 2


def on_payload(blocks: Sequence[Block], variant: Variant) -> list[Finding]:
    """Report every part that stands where the payload is released."""
    found: list[Finding] = []
    for block in blocks:
        gap = payload_gap_mm(variant.payload, block.box)
        if gap < -PAYLOAD_TOLERANCE_MM:
            payload = variant.payload
            detail = (
                f"{block.label} overlaps {payload.label}, the {payload.shape} of {mm(payload.size_mm)} released at "
                f"{place(payload.start_mm)}, by {mm(-gap)}; leave that space free, touching is allowed"
            )
            found.append(Finding(rule="interference", label=block.label, detail=detail))
    return found
