"""Drilled holes."""

import numpy as np
from contracts.models.design import Finding
from geometry.formatting import format_mm, format_point

from workbenches.configuration import CncRules
from workbenches.edges import Edge
from workbenches.part_frame import vector_of
from workbenches.part_mesh import PartMesh
from workbenches.report import Measure, Spot, report
from workbenches.round_faces import RoundFace


def holes(label: str, rounds: list[RoundFace], rules: CncRules) -> list[Finding]:
    """Report holes that are too thin, or too deep for their diameter."""
    found: list[Finding] = []
    for hole in rounds:
        if hole.is_inner and hole.is_all_round:
            found += _too_thin(label, hole, rules) + _too_deep(label, hole, rules)
    return found


def flat_bottoms(label: str, mesh: PartMesh, rounds: list[RoundFace], inner: list[Edge]) -> list[Finding]:
    """Tell of blind holes that end flat: a drill leaves a cone, and a mill must follow it."""
    found: list[Finding] = []
    areas = np.bincount(mesh.face_of, weights=mesh.areas_mm2, minlength=len(mesh.shapes))
    for hole in rounds:
        if not (hole.is_inner and hole.is_all_round):
            continue
        ends = {face for edge in inner for face in edge.faces if hole.face in edge.faces and face != hole.face}
        disk_mm2 = np.pi * hole.radius_mm**2
        flat = [end for end in ends if mesh.shapes[end].kind == "plane" and areas[end] < 1.05 * disk_mm2]
        if flat:
            spot = vector_of(hole.place_mm)
            detail = (
                f"{label} has a blind hole of diameter {format_mm(2 * hole.radius_mm)} at {format_point(spot)} that ends flat; "
                "the cone of a drill, 118 degrees, is cheaper where nothing rests on the bottom"
            )
            found.append(report("cnc_flat_bottom", label, detail, at=Spot(min(flat), spot), severity="info"))
    return found


def _too_thin(label: str, hole: RoundFace, rules: CncRules) -> list[Finding]:
    diameter_mm = 2 * hole.radius_mm
    if diameter_mm >= rules.recommended_hole_mm - 1e-6:
        return []
    is_error = diameter_mm < rules.least_hole_mm
    limit_mm = rules.least_hole_mm if is_error else rules.recommended_hole_mm
    spot = vector_of(hole.place_mm)
    detail = (
        f"{label} has a hole of diameter {format_mm(diameter_mm)} at {format_point(spot)}; {'at least' if is_error else 'better'} "
        f"{format_mm(limit_mm)}: drill it wider"
    )
    return [
        report(
            "cnc_hole",
            label,
            detail,
            at=Spot(hole.face, spot),
            measure=Measure(diameter_mm, limit_mm, "mm"),
            severity="error" if is_error else "warning",
        )
    ]


def _too_deep(label: str, hole: RoundFace, rules: CncRules) -> list[Finding]:
    ratio = hole.length_mm / (2 * hole.radius_mm)
    if ratio <= rules.hole_depth_warning + 1e-6:
        return []
    is_error = ratio > rules.hole_depth_error + 1e-6
    limit = rules.hole_depth_error if is_error else rules.hole_depth_warning
    spot = vector_of(hole.place_mm)
    detail = (
        f"{label} has a hole at {format_point(spot)} of diameter {format_mm(2 * hole.radius_mm)} that is {format_mm(hole.length_mm)} deep, "
        f"{ratio:.1f} times its diameter; {'at most' if is_error else 'better at most'} {limit:g} times: widen it, or "
        "make it shorter"
    )
    return [
        report(
            "cnc_hole",
            label,
            detail,
            at=Spot(hole.face, spot),
            measure=Measure(ratio, limit, "mm/mm"),
            severity="error" if is_error else "warning",
        )
    ]
