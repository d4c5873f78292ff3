"""Rules for drilled holes: diameter, depth and flat bottoms."""

import numpy as np
from contracts.models.design import Finding
from geometry.arrays import as_vector
from geometry.formatting import format_mm, format_point
from parts_catalog.methods.workshop_figures import CncRules

from workbenches.edges import Edge
from workbenches.findings import Measurement, Position, make_finding
from workbenches.part_mesh import PartMesh
from workbenches.round_faces import RoundFace


def hole_dimensions(label: str, rounds: list[RoundFace], rules: CncRules) -> list[Finding]:
    """Report holes that are too thin, or too deep for their diameter."""
    findings: list[Finding] = []
    for face in rounds:
        if face.is_hole:
            findings += _too_thin(label, face, rules) + _too_deep(label, face, rules)
    return findings


def flat_bottoms(label: str, mesh: PartMesh, rounds: list[RoundFace], inner: list[Edge]) -> list[Finding]:
    """Report blind holes with a flat bottom: a drill leaves a cone, so that a mill must follow."""
    findings: list[Finding] = []
    areas = np.bincount(mesh.face_of, weights=mesh.areas_mm2, minlength=len(mesh.surfaces))
    for hole in rounds:
        if not hole.is_hole:
            continue
        ends = {face for edge in inner for face in edge.faces if hole.face in edge.faces and face != hole.face}
        disk_mm2 = np.pi * hole.radius_mm**2
        flat = [end for end in ends if mesh.surfaces[end].kind == "plane" and areas[end] < 1.05 * disk_mm2]
        if flat:
            point_mm = as_vector(hole.point_mm)
            detail = (
                f"{label} has a blind hole of diameter {format_mm(2 * hole.radius_mm)} at {format_point(point_mm)} "
                "with a flat bottom; the cone of a drill, 118 degrees, is cheaper where nothing rests on the bottom"
            )
            at = Position(min(flat), point_mm)
            findings.append(make_finding("cnc_flat_bottom", label, detail, at=at, severity="info"))
    return findings


def _too_thin(label: str, hole: RoundFace, rules: CncRules) -> list[Finding]:
    diameter_mm = 2 * hole.radius_mm
    if diameter_mm >= rules.recommended_hole_mm - 1e-6:
        return []
    is_error = diameter_mm < rules.least_hole_mm
    limit_mm = rules.least_hole_mm if is_error else rules.recommended_hole_mm
    point_mm = as_vector(hole.point_mm)
    detail = (
        f"{label} has a hole of diameter {format_mm(diameter_mm)} at {format_point(point_mm)}, the "
        f"{'minimum' if is_error else 'recommended minimum'} is {format_mm(limit_mm)}; drill it wider"
    )
    return [_hole_finding(label, hole, detail, Measurement(diameter_mm, limit_mm, "mm"), is_error=is_error)]


def _too_deep(label: str, hole: RoundFace, rules: CncRules) -> list[Finding]:
    ratio = hole.length_mm / (2 * hole.radius_mm)
    if ratio <= rules.hole_depth_warning + 1e-6:
        return []
    is_error = ratio > rules.hole_depth_error + 1e-6
    limit = rules.hole_depth_error if is_error else rules.hole_depth_warning
    point_mm = as_vector(hole.point_mm)
    detail = (
        f"{label} has a hole of diameter {format_mm(2 * hole.radius_mm)} at {format_point(point_mm)} that is "
        f"{format_mm(hole.length_mm)} deep, {ratio:.1f} times its diameter, the "
        f"{'maximum' if is_error else 'recommended maximum'} is {limit:g} times; make it wider or shorter"
    )
    return [_hole_finding(label, hole, detail, Measurement(ratio, limit, "mm/mm"), is_error=is_error)]


def _hole_finding(label: str, hole: RoundFace, detail: str, measurement: Measurement, *, is_error: bool) -> Finding:
    at = Position(hole.face, as_vector(hole.point_mm))
    severity = "error" if is_error else "warning"
    return make_finding("cnc_hole", label, detail, at=at, measurement=measurement, severity=severity)
