"""Rules between bodies: they may touch but not overlap, parts are not copies of the environment, and none floats."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from contracts.criteria import CONTACT_GAP_MM
from contracts.models.design import Finding
from contracts.models.mechanism import Mechanism
from geometry.boxes import OrientedBox, separation
from geometry.digest import canonical_text
from geometry.formatting import format_direction, format_mm, format_point
from geometry.occt.distances import Intersection

from design_rules.bodies.distances import are_touching, box_separation, gap_mm, overlap
from design_rules.bodies.multibody import RigidGroups
from design_rules.bodies.solid_bodies import EnvironmentSolid, Part, SolidBody

CONTACT_VOLUME_MM3 = 1.0
"""Common volume of two touching bodies that counts as rounding."""
PRESS_FIT_MM = 0.05
"""Largest layer of overlap around a pin that is a press fit, if the two are joined; 0.1 mm in diameter is far more than
H7/s6 has."""
THIN_MM = 0.5
"""Largest layer of overlap that is named as a fit."""
ENCLOSED_LAYERS = 10
SAME_PLACE_MM = 1e-3
MAX_OVERLAPS = 40
"""A longer list is not read; each overlap costs an exact intersection."""


def interferences(parts: Sequence[Part], environment: Sequence[EnvironmentSolid], groups: RigidGroups) -> list[Finding]:
    """Report overlapping pairs, at most `MAX_OVERLAPS`; press fits of joined parts are none."""
    findings: list[Finding] = []
    for part, other in _pairs(parts, environment):
        finding = _interference(part, other, is_joined=groups.are_rigid(part.label, other.label))
        if finding is not None:
            findings.append(finding)
        if len(findings) == MAX_OVERLAPS:
            break
    return findings


def _pairs(parts: Sequence[Part], environment: Sequence[EnvironmentSolid]) -> Iterator[tuple[Part, SolidBody]]:
    yield from combinations(parts, 2)
    for part in parts:
        for solid in environment:
            yield part, solid


def _interference(part: Part, other: SolidBody, *, is_joined: bool) -> Finding | None:
    common = overlap(part, other)
    if common is None or common.volume_mm3 <= CONTACT_VOLUME_MM3:
        return None
    is_layer = common.thickness_mm <= THIN_MM and _is_enclosed(part, other, common)
    if is_layer and is_joined and common.thickness_mm <= PRESS_FIT_MM:
        return None
    is_environment = isinstance(other, EnvironmentSolid)
    name = f"{other.label} of the environment" if is_environment else other.label
    detail = (
        f"{part.label} overlaps {name} by {common.volume_mm3:.1f} mm³ around {format_point(common.center_mm)}, up to "
        f"{CONTACT_VOLUME_MM3:g} mm³ counts as contact; "
        + (_fit_advice(part, other, common) if is_layer else _fix(part, other))
    )
    rule = "environment_interference" if is_environment else "interference"
    return Finding(rule=rule, label=part.label, detail=detail, place_mm=common.center_mm)


def _is_enclosed(part: Part, other: SolidBody, common: Intersection) -> bool:
    """Tell whether a layer of overlap goes around one of two bodies: moving it by that much does not free it."""
    return -box_separation(part, other).gap_mm > ENCLOSED_LAYERS * common.thickness_mm


def _fit_advice(part: Part, other: SolidBody, common: Intersection) -> str:
    layer = common.thickness_mm
    name = (
        f"it is a layer of {format_mm(layer)} all around: the inner one is {format_mm(2 * layer)} thicker than its bore"
    )
    if layer > PRESS_FIT_MM:
        return f"{name}, a press fit may be {2 * PRESS_FIT_MM:g} mm; make it that much thinner"
    return (
        f"{name}, a press fit; join the two with glue({part.label!r}, {other.label!r}) or screws, then it is accepted, "
        "or make it that much thinner"
    )


def _fix(part: Part, other: SolidBody) -> str:
    apart = box_separation(part, other)
    fix = f"move {part.label} {format_mm(-apart.gap_mm)} along {format_direction(apart.opposite_direction)}"
    if not isinstance(other, EnvironmentSolid):
        fix += f" or {other.label} along {format_direction(apart.direction)}"
    return f"{fix}, or make it smaller"


def environment_copies(parts: Sequence[Part], environment: Sequence[EnvironmentSolid]) -> list[Finding]:
    """Report parts that have the label of a solid of the environment, or are the same solid in the same place."""
    findings: list[Finding] = []
    for part in parts:
        solid = next((body for body in environment if body.label == part.label or _is_same(part, body)), None)
        if solid is None:
            continue
        is_copy = _is_same(part, solid)
        what = "is a copy of" if is_copy else f"around {format_point(part.bounds.center_mm)} has the label of"
        detail = (
            f"{part.label} {what} {solid.label}, which belongs to the environment and is always there; submit only "
            "your own parts, with labels of their own"
        )
        findings.append(Finding(rule="environment_changed", label=part.label, detail=detail))
    return findings


def _is_same(first: SolidBody, second: SolidBody) -> bool:
    """Tell whether two solids have the same shape and position, however they were built."""
    ours, theirs = first.bounds, second.bounds
    if not np.allclose((ours.min_mm, ours.max_mm), (theirs.min_mm, theirs.max_mm), rtol=0, atol=SAME_PLACE_MM):
        return False
    if first.box is None or second.box is None:
        return first.box is second.box and canonical_text(first.solid) == canonical_text(second.solid)
    distances = np.linalg.norm(first.box.corners_mm[:, None, :] - second.box.corners_mm[None, :, :], axis=2)
    return bool((distances.min(axis=1) <= SAME_PLACE_MM).all())


def floating_parts(
    parts: Sequence[Part], environment: Sequence[EnvironmentSolid], mechanism: Mechanism
) -> list[Finding]:
    """Report parts without a chain of contacts, connections and joints to the environment: they would only fall."""
    declared = {frozenset((each.first, each.second)) for each in mechanism.connections}
    declared |= {frozenset((joint.parent, joint.child)) for joint in mechanism.joints}
    declared |= {frozenset((motor.part, motor.pinion)) for motor in mechanism.motors if motor.pinion is not None}
    held: list[SolidBody] = [solid for solid in environment if not solid.is_loose]
    loose, newly_held = list(parts), list(held)
    while newly_held and loose:
        is_reached = [any(_holds(body, part, declared) for body in newly_held) for part in loose]
        newly_held = [part for part, reached in zip(loose, is_reached, strict=True) if reached]
        loose = [part for part, reached in zip(loose, is_reached, strict=True) if not reached]
        held += newly_held
    return [_floating(part, held) for part in loose]


def _holds(body: SolidBody, part: Part, declared: set[frozenset[str]]) -> bool:
    return frozenset((body.label, part.label)) in declared or are_touching(part, body)


def _floating(part: Part, held: Sequence[SolidBody]) -> Finding:
    box = OrientedBox.of(part.bounds)
    name = f"{part.label} around {format_point(part.bounds.center_mm)} floats"
    closest = min(held, key=lambda body: separation(box, body.box or OrientedBox.of(body.bounds)).gap_mm, default=None)
    if closest is None:
        detail = f"{name}: the environment has nothing fixed that could support a machine; refuse the plan"
        return Finding(rule="floating", label=part.label, detail=detail)
    detail = (
        f"{name}: the nearest supported body, {closest.label}, is {format_mm(gap_mm(part, closest))} away, up to "
        f"{format_mm(CONTACT_GAP_MM)} counts as contact; let it touch, or add a leg to the environment, and connect it "
        "if it could tip over"
    )
    return Finding(rule="floating", label=part.label, detail=detail)
