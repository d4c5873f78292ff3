"""What a benchmark's world must keep before anyone works in it."""

from collections.abc import Sequence

from contracts.benchmark import Variant
from contracts.geometry import Box

from cad_worker.bodies import Block
from cad_worker.environments import EnvironmentFaultyError
from cad_worker.geometry.boxes import OrientedBox
from cad_worker.geometry.proximity import TOUCHING_MM
from cad_worker.rules.placement import PAYLOAD_TOLERANCE_MM, payload_gap_mm
from cad_worker.rules.wording import mm, place


def check_world(blocks: Sequence[Block], variant: Variant) -> None:
    """Raise `EnvironmentFaultyError` at the first thing that makes the benchmark unfit for work."""
    _lies_in_bounds(blocks, variant)
    _payload_is_free(blocks, variant)
    _zones_are_open(blocks, variant)
    _payload_is_allowed(variant)


def _lies_in_bounds(blocks: Sequence[Block], variant: Variant) -> None:
    for block in blocks:
        if not variant.bounds.contains(block.box.around, tolerance_mm=1e-3):
            around = block.box.around
            detail = (
                f"{block.label} reaches from {place(around.min_mm)} to {place(around.max_mm)}, beyond the bounds "
                f"{place(variant.bounds.min_mm)} to {place(variant.bounds.max_mm)}; shrink it or widen the bounds"
            )
            raise EnvironmentFaultyError("outside_bounds", detail)


def _payload_is_free(blocks: Sequence[Block], variant: Variant) -> None:
    payload = variant.payload
    for block in blocks:
        gap = payload_gap_mm(payload, block.box)
        if gap < -PAYLOAD_TOLERANCE_MM:
            detail = (
                f"{payload.label}, a {payload.shape} of {mm(payload.size_mm)}, starts at {place(payload.start_mm)}: "
                f"{mm(-gap)} inside {block.label}; move start_mm or the solid"
            )
            raise EnvironmentFaultyError("payload_in_wall", detail)


def _zones_are_open(blocks: Sequence[Block], variant: Variant) -> None:
    for name, zone in (("goal_zone", variant.goal_zone), ("build_zone", variant.build_zone)):
        filled = next((block.label for block in blocks if _covers(block.box, zone)), None)
        if filled is not None:
            raise EnvironmentFaultyError(
                "zone_conflict", f"{name} lies wholly inside {filled}; move the zone or the solid"
            )


def _covers(box: OrientedBox, zone: Box) -> bool:
    return all(
        box.distance_to_point_mm((x, y, z)) <= TOUCHING_MM for x, y, z in OrientedBox.of(zone).corners_mm.tolist()
    )


def _payload_is_allowed(variant: Variant) -> None:
    for zone in variant.forbid_zones:
        if payload_gap_mm(variant.payload, OrientedBox.of(zone.box)) <= TOUCHING_MM:
            detail = f"the payload starts in touch with forbid zone {zone.label}; move start_mm or the zone"
            raise EnvironmentFaultyError("zone_conflict", detail)
        if zone.box.contains(variant.goal_zone):
            raise EnvironmentFaultyError(
                "zone_conflict", f"goal_zone lies wholly inside forbid zone {zone.label}; part them"
            )
