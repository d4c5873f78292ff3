"""What hangs in the air while it is printed: bridges between two sides, and overhangs."""

from dataclasses import dataclass

import numpy as np
from contracts.models.design import Finding
from geometry.formatting import format_mm, format_point

from workbenches.configuration import PrintRules
from workbenches.edges import SHARP_DEG, edges_of
from workbenches.part_frame import vector_of
from workbenches.part_mesh import Floats, PartMesh
from workbenches.printing.orientation import FLAT_DEG, Standing
from workbenches.report import Measure, Spot, report

OPPOSITE = -0.95
LEAST_AREA_MM2 = 4.0
"""A smaller underside holds itself."""


@dataclass(frozen=True)
class _Underside:
    face: int
    angle_deg: float
    area_mm2: float
    place_mm: Floats
    span_mm: float | None
    """Between the two sides that carry a ceiling; None where it is no bridge."""


def undersides(label: str, mesh: PartMesh, standing: Standing, rules: PrintRules) -> list[Finding]:
    """Report bridges that are too long, and overhangs that need support."""
    found: list[Finding] = []
    for each in _hanging(mesh, standing):
        if each.span_mm is not None:
            found += _bridge(label, each, each.span_mm, rules)
        else:
            found.append(_overhang(label, each, rules))
    return found


def _hanging(mesh: PartMesh, standing: Standing) -> list[_Underside]:
    found: list[_Underside] = []
    for face in np.unique(mesh.face_of[standing.hangs]):
        triangles = np.flatnonzero(standing.hangs & (mesh.face_of == face))
        area = float(mesh.areas_mm2[triangles].sum())
        if area < LEAST_AREA_MM2:
            continue
        largest = triangles[int(np.argmax(mesh.areas_mm2[triangles]))]
        angle = float(standing.angle_deg[triangles].max())
        span = _span_mm(mesh, int(face)) if angle > FLAT_DEG else None
        spot = mesh.vertices_mm[mesh.triangles[largest]].mean(axis=0)
        found.append(_Underside(int(face), angle, area, spot, span))
    return found


def _span_mm(mesh: PartMesh, face: int) -> float | None:
    """Return the shortest distance between two inner edges of a ceiling that face each other."""
    normal = mesh.normals[mesh.face_of == face][0]
    middle = mesh.vertices_mm[mesh.triangles[mesh.face_of == face]].reshape(-1, 3).mean(axis=0)
    sides: list[tuple[Floats, Floats]] = []
    for edge in edges_of(mesh):
        if face not in edge.faces or not edge.is_concave or edge.turn_deg < SHARP_DEG:
            continue
        if not edge.is_straight:  # the ceiling of a round hole: carried all round
            return edge.length_mm / float(np.pi)
        across = np.cross(normal, edge.direction)
        sides.append((edge.middle_mm, across if across @ (middle - edge.middle_mm) > 0 else -across))
    spans = [
        abs(float((there - here) @ inwards))
        for number, (here, inwards) in enumerate(sides)
        for there, other in sides[number + 1 :]
        if inwards @ other < OPPOSITE
    ]
    return min(spans, default=None)


def _bridge(label: str, underside: _Underside, span_mm: float, rules: PrintRules) -> list[Finding]:
    if span_mm <= rules.bridge_free_mm + 1e-6:
        return []
    severity = "info"
    limit_mm = rules.bridge_free_mm
    if span_mm > rules.bridge_error_mm:
        severity, limit_mm = "error", rules.bridge_error_mm
    elif span_mm > rules.bridge_warning_mm:
        severity, limit_mm = "warning", rules.bridge_warning_mm
    spot = vector_of(underside.place_mm)
    detail = (
        f"{label} has a bridge of {format_mm(span_mm)} at {format_point(spot)}, {format_mm(limit_mm)} holds without sagging; arch it, put a "
        "pillar under it, or make it shorter"
    )
    return [
        report(
            "print_bridge",
            label,
            detail,
            at=Spot(underside.face, spot),
            measure=Measure(span_mm, limit_mm, "mm"),
            severity=severity,
        )
    ]


def _overhang(label: str, underside: _Underside, rules: PrintRules) -> Finding:
    spot = vector_of(underside.place_mm)
    detail = (
        f"{label} hangs over by {underside.angle_deg:.0f} degrees from the vertical at {format_point(spot)} however it is "
        f"laid, {underside.area_mm2:.0f} mm2 of it; {rules.overhang_deg:g} degrees print without support: chamfer it "
        "or pay for support"
    )
    return report(
        "print_overhang",
        label,
        detail,
        at=Spot(underside.face, spot),
        measure=Measure(underside.angle_deg, rules.overhang_deg, "deg"),
        severity="warning",
    )
