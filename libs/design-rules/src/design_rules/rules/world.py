"""Rules for a benchmark's environment, checked before a run starts, because no role can change it later."""

from collections.abc import Sequence
from itertools import combinations, product

from contracts.events.run import EnvironmentFaultReason
from contracts.models.benchmark import Variant, binding
from contracts.models.geometry import Box
from contracts.models.mechanism import Mechanism
from geometry.boxes import TOUCHING_MM
from geometry.formatting import format_mm, format_point

from design_rules.bodies.distances import box_body, overlap, payload_gap_mm
from design_rules.bodies.multibody import FIXED_GROUP, MultibodySystem
from design_rules.bodies.solid_bodies import EnvironmentSolid
from design_rules.rules.contact import CONTACT_VOLUME_MM3
from design_rules.rules.mechanism import mechanism_findings
from design_rules.rules.placement import PAYLOAD_TOLERANCE_MM

FILLED = 1 - 1e-6
"""Share of a zone's volume from which on it counts as filled."""


class EnvironmentFaultyError(ValueError):
    """No run is possible in the environment; reason and detail are those of `EnvironmentRefused`."""

    def __init__(self, reason: EnvironmentFaultReason, detail: str) -> None:
        super().__init__(detail)
        self.reason: EnvironmentFaultReason = reason
        self.detail = detail


def check_environment(solids: Sequence[EnvironmentSolid], variant: Variant) -> None:
    """Raise `EnvironmentFaultyError` for the first conflict of the solids with bounds, payload or zones."""
    _require_own_labels(solids, variant)
    _require_within_bounds(solids, variant)
    _require_free_payload(solids, variant)
    _require_open_zones(solids, variant)
    _require_payload_outside_forbid_zones(variant)
    _require_separate_solids(solids, fixed=True)


def check_environment_mechanism(solids: Sequence[EnvironmentSolid], mechanism: Mechanism) -> None:
    """Raise `EnvironmentFaultyError` for the first thing that could not be built or could not move."""
    system = MultibodySystem({solid.label: solid for solid in solids}, mechanism)
    findings = mechanism_findings(system)
    if findings:
        raise EnvironmentFaultyError("faulty_mechanism", f"{findings[0].rule}: {findings[0].detail}")
    _require_held(solids, system)
    _require_separate_solids(solids, fixed=False)


def _require_within_bounds(solids: Sequence[EnvironmentSolid], variant: Variant) -> None:
    bounds = variant.bounds
    for solid in solids:
        if not bounds.contains(solid.bounds, tolerance_mm=1e-3):
            detail = (
                f"{solid.label} reaches from {format_point(solid.bounds.min_mm)} to "
                f"{format_point(solid.bounds.max_mm)}, beyond the bounds {format_point(bounds.min_mm)} to "
                f"{format_point(bounds.max_mm)}; shrink it or widen the bounds"
            )
            raise EnvironmentFaultyError("outside_bounds", detail)


def _require_free_payload(solids: Sequence[EnvironmentSolid], variant: Variant) -> None:
    for payload, solid in product(variant.payloads, solids):
        gap = payload_gap_mm(payload, solid)
        if gap < -PAYLOAD_TOLERANCE_MM:
            detail = (
                f"{payload.label}, a {payload.shape} of {payload.size_text}, starts at "
                f"{format_point(payload.start_mm)}, {format_mm(-gap)} inside {solid.label}; move start_mm or the solid"
            )
            raise EnvironmentFaultyError("payload_in_wall", detail)


def _require_own_labels(solids: Sequence[EnvironmentSolid], variant: Variant) -> None:
    """Results name each of several payloads, and each solid, by its label alone."""
    if not variant.more_payloads:
        return
    for label in {payload.label for payload in variant.payloads} & {solid.label for solid in solids}:
        detail = f"{label} is the label of a payload and of a solid; label the solid differently"
        raise EnvironmentFaultyError("not_build123d", detail)


def _require_open_zones(solids: Sequence[EnvironmentSolid], variant: Variant) -> None:
    for name, zone in (("goal_zone", variant.goal_zone), ("build_zone", variant.build_zone)):
        filled_by = next((solid.label for solid in solids if _covers(solid, name, zone)), None)
        if filled_by is not None:
            detail = f"{name} is completely inside {filled_by}; move the zone or the solid"
            raise EnvironmentFaultyError("zone_conflict", detail)


def _covers(solid: EnvironmentSolid, name: str, zone: Box) -> bool:
    if not solid.bounds.contains(zone, tolerance_mm=TOUCHING_MM):
        return False
    zone_body = box_body(name, zone)
    common = overlap(solid, zone_body)
    return common is not None and common.volume_mm3 >= FILLED * zone_body.volume_mm3


def _require_payload_outside_forbid_zones(variant: Variant) -> None:
    for zone in binding(variant.forbid_zones, "payload"):
        for payload in variant.payloads:
            if payload_gap_mm(payload, box_body(zone.label, zone.box)) <= TOUCHING_MM:
                name = f"the payload {payload.label}" if variant.more_payloads else "the payload"
                detail = f"{name} touches forbid zone {zone.label} at its start; move start_mm or the zone"
                raise EnvironmentFaultyError("zone_conflict", detail)
        if zone.box.contains(variant.goal_zone):
            detail = f"goal_zone is completely inside forbid zone {zone.label}; separate them"
            raise EnvironmentFaultyError("zone_conflict", detail)


def _require_held(solids: Sequence[EnvironmentSolid], system: MultibodySystem) -> None:
    group_of = system.groups.group_of
    joints = system.whole_mechanism.joints
    jointed = {group_of(label) for joint in joints for label in (joint.parent, joint.child)}
    for solid in solids:
        is_held = group_of(solid.label) in {FIXED_GROUP, *jointed}
        if solid.is_loose and (solid.material is None or is_held):
            why = "something holds it" if solid.material is not None else "it has no material, which gives its mass"
            detail = f'{solid.label} is loose, but {why}; correct it, or leave "loose" out of its metadata'
            raise EnvironmentFaultyError("faulty_mechanism", detail)
        if solid.is_moving and not solid.is_loose:
            detail = f'{solid.label} is "moving", which only a loose solid can be; add "loose": True, or leave it out'
            raise EnvironmentFaultyError("faulty_mechanism", detail)
        if not (solid.is_fixed or solid.is_loose or is_held):
            detail = (
                f"{solid.label} around {format_point(solid.bounds.center_mm)} has a material, so that it moves, but no "
                'joint holds it; give it a joint, leave the material out to fix it, or add "loose": True to its '
                "metadata if it shall lie free"
            )
            raise EnvironmentFaultyError("faulty_mechanism", detail)


def _require_separate_solids(solids: Sequence[EnvironmentSolid], *, fixed: bool) -> None:
    """Require that fixed solids do not overlap, or that nothing overlaps with a moving one.

    For physics an overlap of fixed solids is nothing, but one that is not intended is a wrong world.
    """
    rule, fix = (
        ("solids_overlap", "; move one of them, or join both to one solid with +")
        if fixed
        else ("faulty_mechanism", ", and one of them moves; separate them")
    )
    for first, second in combinations(solids, 2):
        if (first.is_fixed and second.is_fixed) is not fixed:
            continue
        common = overlap(first, second)
        if common is not None and common.volume_mm3 > CONTACT_VOLUME_MM3:
            place = format_point(common.center_mm)
            detail = f"{first.label} overlaps {second.label} by {common.volume_mm3:.1f} mm³ around {place}{fix}"
            raise EnvironmentFaultyError(rule, detail)
