"""What a benchmark's world must keep before anyone works in it."""

from collections.abc import Sequence

from contracts.models.benchmark import Variant
from contracts.models.geometry import Box
from geometry.boxes import TOUCHING_MM
from geometry.formatting import format_mm, format_point

from cad_worker.environment_script import EnvironmentFaultyError
from cad_worker.validation.bodies import Fixture
from cad_worker.validation.distances import block_of, overlap, payload_gap_mm
from cad_worker.validation.rules.placement import PAYLOAD_TOLERANCE_MM

FILLED = 1 - 1e-6
"""Share of a zone from which on there is no room left in it."""


def check_world(fixtures: Sequence[Fixture], variant: Variant) -> None:
    """Raise `EnvironmentFaultyError` at the first thing that makes the benchmark unfit for work."""
    _lies_in_bounds(fixtures, variant)
    _payload_is_free(fixtures, variant)
    _zones_are_open(fixtures, variant)
    _payload_is_allowed(variant)


def _lies_in_bounds(fixtures: Sequence[Fixture], variant: Variant) -> None:
    for fixture in fixtures:
        if not variant.bounds.contains(fixture.around, tolerance_mm=1e-3):
            detail = (
                f"{fixture.label} reaches from {format_point(fixture.around.min_mm)} to {format_point(fixture.around.max_mm)}, "
                f"beyond the bounds {format_point(variant.bounds.min_mm)} to {format_point(variant.bounds.max_mm)}; shrink it or "
                "widen the bounds"
            )
            raise EnvironmentFaultyError("outside_bounds", detail)


def _payload_is_free(fixtures: Sequence[Fixture], variant: Variant) -> None:
    payload = variant.payload
    for fixture in fixtures:
        gap = payload_gap_mm(payload, fixture)
        if gap < -PAYLOAD_TOLERANCE_MM:
            detail = (
                f"{payload.label}, a {payload.shape} of {format_mm(payload.size_mm)}, starts at {format_point(payload.start_mm)}: "
                f"{format_mm(-gap)} inside {fixture.label}; move start_mm or the solid"
            )
            raise EnvironmentFaultyError("payload_in_wall", detail)


def _zones_are_open(fixtures: Sequence[Fixture], variant: Variant) -> None:
    for name, zone in (("goal_zone", variant.goal_zone), ("build_zone", variant.build_zone)):
        filled = next((fixture.label for fixture in fixtures if _covers(fixture, name, zone)), None)
        if filled is not None:
            raise EnvironmentFaultyError(
                "zone_conflict", f"{name} lies wholly inside {filled}; move the zone or the solid"
            )


def _covers(fixture: Fixture, name: str, zone: Box) -> bool:
    if not fixture.around.contains(zone, tolerance_mm=TOUCHING_MM):
        return False
    room = block_of(name, zone)
    common = overlap(fixture, room)
    return common is not None and common.volume_mm3 >= FILLED * room.volume_mm3


def _payload_is_allowed(variant: Variant) -> None:
    for zone in variant.forbid_zones:
        if payload_gap_mm(variant.payload, block_of(zone.label, zone.box)) <= TOUCHING_MM:
            detail = f"the payload starts in touch with forbid zone {zone.label}; move start_mm or the zone"
            raise EnvironmentFaultyError("zone_conflict", detail)
        if zone.box.contains(variant.goal_zone):
            raise EnvironmentFaultyError(
                "zone_conflict", f"goal_zone lies wholly inside forbid zone {zone.label}; part them"
            )
