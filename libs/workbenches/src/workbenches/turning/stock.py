"""Rules for the whole part on the lathe: its shape, size and slenderness."""

from contracts.models.design import Finding
from geometry.arrays import as_vector
from geometry.formatting import format_mm

from workbenches.findings import Measurement, Position, make_finding
from workbenches.turning.spindle import Spindle

SLACK_MM = 1e-6
MILLED_SLACK = 2e-3


def roundness(spindle: Spindle, label: str) -> list[Finding]:
    """Report a part of which too much of the turned body would be milled away, and free forms."""
    share, most = spindle.outline.milled_share, spindle.rules.most_milled
    if share > most + MILLED_SLACK:
        detail = (
            f"{label} is not round: {share:.0%} of the body turned about its axis would be milled away, at most "
            f"{most:.0%} is worth while; mill it"
        )
        return [make_finding("turn_not_round", label, detail, measurement=Measurement(share, most))]
    kinds = spindle.mesh.surfaces
    free = [face for face in spindle.milled if kinds[face].kind not in {"plane", "cylinder", "cone"}]
    if not free:
        return []
    face = max(free, key=lambda each: float(spindle.mesh.face_areas_mm2[each]))
    point_mm = as_vector(spindle.mesh.samples.points_mm[spindle.mesh.samples.faces == face][0])
    detail = (
        f"{label} has {len(free)} curved face(s) that do not go round its axis; driven tools mill flats, slots and "
        "holes only: make them flat, or mill the part"
    )
    return [make_finding("turn_not_round", label, detail, at=Position(face, point_mm))]


def size(spindle: Spindle, label: str) -> list[Finding]:
    """Report a part that the lathe cannot hold."""
    (low, high), rules = spindle.range_mm, spindle.rules
    diameter, length = 2 * spindle.radius_mm, high - low
    limits = (
        ("diameter", diameter, rules.least_diameter_mm, rules.largest_diameter_mm),
        ("length", length, rules.shortest_mm, rules.longest_mm),
    )
    findings: list[Finding] = []
    for name, measured, least, most in limits:
        if least - SLACK_MM <= measured <= most + SLACK_MM:
            continue
        limit = least if measured < least else most
        fix = "make it larger" if measured < least else "split it, or mill it"
        detail = (
            f"{label} has a {name} of {format_mm(measured)} about its axis, a lathe holds {format_mm(least)} to "
            f"{format_mm(most)}; {fix}"
        )
        measurement = Measurement(measured, limit, "mm")
        findings.append(make_finding("turn_too_large", label, detail, measurement=measurement))
    return findings


def slenderness(spindle: Spindle, label: str) -> list[Finding]:
    """Report a part that is long for its largest diameter."""
    (low, high), rules = spindle.range_mm, spindle.rules
    ratio = (high - low) / (2 * spindle.radius_mm)
    if ratio <= rules.slender_warning + SLACK_MM:
        return []
    is_error = ratio > rules.slender_error + SLACK_MM
    limit = rules.slender_error if is_error else rules.slender_warning
    fix = "make it thicker, or cut a drawn rod to length" if is_error else "a tailstock must hold it; make it thicker"
    detail = f"{label} is {ratio:.1f} times as long as its diameter, over {limit:g} it bends under the tool; {fix}"
    severity = "error" if is_error else "warning"
    measurement = Measurement(ratio, limit, "mm/mm")
    return [make_finding("turn_slender", label, detail, measurement=measurement, severity=severity)]
