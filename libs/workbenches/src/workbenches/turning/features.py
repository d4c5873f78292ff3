"""Rules for single features of a turned part: grooves, bores, holes, necks, corners, flats and threads."""

import numpy as np
from contracts.models.design import Finding, WorkbenchRule
from geometry.arrays import FloatArray, as_vector
from geometry.formatting import format_mm, format_point

from workbenches.edges import SHARP_DEG, edges_of
from workbenches.findings import Measurement, Position, make_finding
from workbenches.round_faces import RoundFace
from workbenches.turning.spindle import Spindle

SLACK_MM = 1e-3
BESIDE_MM = 0.02
"""Distance from the end of a face at which its neighbour is probed."""
ALONG = 0.999


def grooves(spindle: Spindle, label: str) -> list[Finding]:
    """Report grooves outside that are narrower or deeper than a grooving tool."""
    (low, high), rules = spindle.range_mm, spindle.rules
    findings: list[Finding] = []
    for face in spindle.rounds:
        begin, end = spindle.ends_of(face.face)
        is_inside = low + BESIDE_MM < begin and end < high - BESIDE_MM
        if face.is_inner or not spindle.is_coaxial(face) or not is_inside:
            continue
        walls = [spindle.outer_at(place) - face.radius_mm for place in (begin - BESIDE_MM, end + BESIDE_MM)]
        width, depth = end - begin, min(walls)
        if depth < BESIDE_MM or (width >= rules.least_groove_mm - SLACK_MM and depth <= rules.deepest_groove_mm):
            continue
        is_narrow = width < rules.least_groove_mm - SLACK_MM
        measured, limit = (width, rules.least_groove_mm) if is_narrow else (depth, rules.deepest_groove_mm)
        what = "wide, a grooving tool has at least" if is_narrow else "deep, a grooving tool reaches"
        detail = (
            f"{label} has a groove at {format_point(as_vector(face.point_mm))} that is {format_mm(measured)} {what} "
            f"{format_mm(limit)}; make it {'wider' if is_narrow else 'flatter'}"
        )
        findings.append(_at("turn_groove", label, detail, face, Measurement(measured, limit, "mm")))
    return findings


def bores(spindle: Spindle, label: str) -> list[Finding]:
    """Report a bore on the axis that is too deep for its diameter, from its nearer open end."""
    outline, rules = spindle.outline, spindle.rules
    low, high = spindle.range_mm
    from_low = _depth_ratios(outline.along_mm - low, outline.inner_mm)
    from_high = _depth_ratios((high - outline.along_mm)[::-1], outline.inner_mm[::-1])[::-1]
    ratios = np.minimum(from_low, from_high)
    reached = np.isfinite(ratios)
    if not reached.any():
        return []
    worst = int(np.argmax(np.where(reached, ratios, -1.0)))
    ratio = float(ratios[worst] + _beyond_mm(spindle, worst) / max(2 * outline.inner_mm[worst], 1e-9))
    if ratio <= rules.bore_warning + 0.02:
        return []
    is_error = ratio > rules.bore_error + 0.02
    limit = rules.bore_error if is_error else rules.bore_warning
    detail = (
        f"{label} has a bore on its axis {ratio:.1f} times as deep as it is wide, counted from the nearer open end; a "
        f"bar reaches {limit:g} times: widen it, or open it at the other end"
    )
    severity = "error" if is_error else "warning"
    return [make_finding("turn_bore", label, detail, measurement=Measurement(ratio, limit, "mm/mm"), severity=severity)]


def _beyond_mm(spindle: Spindle, station: int) -> float:
    """Return how far a bore goes on behind its deepest station: to its bottom, or to half-way to the next station."""
    outline, axis = spindle.outline, spindle.axis
    ways = np.array([axis.direction, -axis.direction])
    origins = np.tile(axis.point_mm + outline.along_mm[station] * axis.direction, (2, 1))
    to_bottom = float(spindle.mesh.first_hits(origins, ways, through=None).distance_mm.min())
    spacing = float(outline.lengths_mm[station])
    return to_bottom if to_bottom < spacing else spacing / 2


def holes(spindle: Spindle, label: str) -> list[Finding]:
    """Report drilled holes that are too thin."""
    findings: list[Finding] = []
    for face in spindle.rounds:
        if not face.is_hole:
            continue
        is_axial = abs(float(face.axis @ spindle.axis.direction)) > ALONG
        least = spindle.rules.least_axial_hole_mm if is_axial else spindle.rules.least_radial_hole_mm
        if 2 * face.radius_mm < least - SLACK_MM:
            detail = (
                f"{label} has a hole {'along' if is_axial else 'across'} its axis of diameter "
                f"{format_mm(2 * face.radius_mm)} at {format_point(as_vector(face.point_mm))}, the minimum is "
                f"{format_mm(least)}; drill it wider"
            )
            measurement = Measurement(2 * face.radius_mm, least, "mm")
            findings.append(_at("turn_hole", label, detail, face, measurement))
    return findings


def necks(spindle: Spindle, label: str) -> list[Finding]:
    """Report outer diameters that twist off."""
    least = spindle.rules.least_neck_mm
    findings: list[Finding] = []
    for face in spindle.rounds:
        if not face.is_inner and spindle.is_coaxial(face) and 2 * face.radius_mm < least - SLACK_MM:
            detail = (
                f"{label} has a diameter of {format_mm(2 * face.radius_mm)} at "
                f"{format_point(as_vector(face.point_mm))}, the minimum is {format_mm(least)}; make it thicker"
            )
            findings.append(_at("turn_neck", label, detail, face, Measurement(2 * face.radius_mm, least, "mm")))
    return findings


def corners(spindle: Spindle, label: str) -> list[Finding]:
    """Report inner corners of a radius below that of an insert; sharp ones are counted once."""
    nose = spindle.rules.nose_radius_mm
    findings: list[Finding] = []
    samples = spindle.mesh.samples
    concave = [edge for edge in edges_of(spindle.mesh) if edge.is_concave]
    for face, surface in enumerate(spindle.mesh.surfaces):
        if surface.kind != "torus" or not spindle.turned[face] or surface.radius_mm is None:
            continue
        center, on_face = np.array(surface.axis_point_mm), samples.faces == face
        if not on_face.any() or surface.radius_mm >= nose - SLACK_MM:
            continue
        if _is_hollow(spindle, face, center):
            point_mm = as_vector(samples.points_mm[on_face][0])
            detail = (
                f"{label} has an inner corner of radius {format_mm(surface.radius_mm)} at {format_point(point_mm)}, an "
                f"insert leaves {format_mm(nose)}; enlarge it to that"
            )
            measurement = Measurement(surface.radius_mm, nose, "mm")
            at = Position(face, point_mm)
            findings.append(
                make_finding("turn_corner", label, detail, at=at, measurement=measurement, severity="warning")
            )
    sharp = [
        edge
        for edge in concave
        if edge.turn_deg > SHARP_DEG and not edge.is_straight and all(spindle.turned[face] for face in edge.faces)
    ]
    if sharp:
        point_mm = as_vector(sharp[0].middle_mm)
        detail = (
            f"{label} has {len(sharp)} sharp inner corner(s), one at {format_point(point_mm)}: an insert leaves a "
            f"radius of {format_mm(nose)}; what is mounted there needs a chamfer, or an undercut"
        )
        at, measurement = Position(sharp[0].faces[0], point_mm), Measurement(0.0, nose, "mm")
        findings.append(make_finding("turn_corner", label, detail, at=at, measurement=measurement, severity="info"))
    return findings


def milled_features(spindle: Spindle, label: str) -> list[Finding]:
    """Name holes beside or across the axis, flats and slots as extra work."""
    if not spindle.milled:
        return []
    drilled = [face for face in spindle.rounds if face.is_hole and face.face in spindle.milled]
    others = len(spindle.milled) - len(drilled)
    names = [f"{len(drilled)} hole(s) beside or across the axis"] if drilled else []
    names += [f"{others} face(s) of flats and slots"] if others else []
    first = spindle.milled[0]
    point_mm = as_vector(spindle.mesh.samples.points_mm[spindle.mesh.samples.faces == first][0])
    detail = f"{label} has {' and '.join(names)}: driven tools mill them in the lathe, which is extra work"
    measurement = Measurement(len(spindle.milled), 0, "count")
    at = Position(first, point_mm)
    return [make_finding("turn_live_tooling", label, detail, at=at, measurement=measurement, severity="info")]


def threads(spindle: Spindle, label: str) -> list[Finding]:
    """Name faces that wind about the axis as a thread."""
    if not spindle.threads:
        return []
    face = spindle.threads[0]
    point_mm = as_vector(spindle.mesh.samples.points_mm[spindle.mesh.samples.faces == face][0])
    detail = (
        f"{label} has faces that wind about its axis at {format_point(point_mm)}, such as a thread; a lathe cuts "
        "standard threads into a plain cylinder: draw that, and name the thread on the order"
    )
    at, measurement = Position(face, point_mm), Measurement(len(spindle.threads), 0, "count")
    return [make_finding("turn_thread", label, detail, at=at, measurement=measurement, severity="warning")]


def _depth_ratios(depth_mm: FloatArray, radius_mm: FloatArray) -> FloatArray:
    """Return (n,): depth over diameter of what is narrowest on the way to each station; inf behind material."""
    narrowest = np.minimum.accumulate(radius_mm)
    return np.where(narrowest > 0, depth_mm / np.maximum(2 * narrowest, 1e-9), np.inf)


def _is_hollow(spindle: Spindle, face: int, center: FloatArray) -> bool:
    """Tell whether a torus face looks towards the circle along its middle."""
    samples, direction = spindle.mesh.samples, spindle.axis.direction
    on_face = np.flatnonzero(samples.faces == face)
    steep = on_face[int(np.argmax(np.abs(samples.normals[on_face] @ direction)))]
    minor = spindle.mesh.surfaces[face].radius_mm or 0.0
    height, rise = float((center - samples.points_mm[steep]) @ direction), float(samples.normals[steep] @ direction)
    return abs(height - minor * rise) < abs(height + minor * rise)


def _at(rule: WorkbenchRule, label: str, detail: str, face: RoundFace, measurement: Measurement) -> Finding:
    at = Position(face.face, as_vector(face.point_mm))
    return make_finding(rule, label, detail, at=at, measurement=measurement)
