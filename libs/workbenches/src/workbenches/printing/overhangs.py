"""Rules for overhanging faces: bridges between two sides, and overhangs that need support."""

from dataclasses import dataclass

import numpy as np
from contracts.models.design import Finding
from geometry.arrays import FloatArray, as_vector
from geometry.formatting import format_mm, format_point
from parts_catalog.methods.workshop_figures import PrintRules

from workbenches.edges import SHARP_DEG, Edge, edges_of
from workbenches.findings import Measurement, Position, Severity, make_finding
from workbenches.part_mesh import PartMesh
from workbenches.printing.orientation import ON_BED_MM, Orientation

CEILING_DEG = 85.0
"""Angle from the vertical above which an underside is a ceiling, which may be a bridge."""
OPPOSITE = -0.95
HALF_ROUND = 0.45
"""Share of a circle from which an edge of a ceiling has a side that faces another of its sides."""
STEEPEST = 0.1
"""Share of an underside by whose angle it is judged."""
LEAST_AREA_MM2 = 4.0
"""Smaller undersides need no support."""
SLACK_MM2 = 1e-3


@dataclass(frozen=True)
class _Underside:
    face: int
    angle_deg: float
    area_mm2: float
    point_mm: FloatArray
    span_mm: float | None
    """Distance of the two sides that carry a ceiling; None if it is not a bridge."""


def overhangs(label: str, mesh: PartMesh, orientation: Orientation, rules: PrintRules) -> list[Finding]:
    """Report bridges that are too long, and overhangs that need support."""
    findings: list[Finding] = []
    for each in _undersides(mesh, orientation):
        if each.span_mm is not None:
            findings += _bridge(label, each, each.span_mm, rules)
        else:
            findings.append(_overhang(label, each, rules))
    return findings


def _undersides(mesh: PartMesh, orientation: Orientation) -> list[_Underside]:
    samples, undersides = mesh.samples, list[_Underside]()
    for face in np.unique(samples.faces[orientation.is_overhanging]):
        chosen = np.flatnonzero(orientation.is_overhanging & (samples.faces == face))
        area = float(samples.areas_mm2[chosen].sum())
        if area < LEAST_AREA_MM2 - SLACK_MM2:
            continue
        middle = np.average(samples.points_mm[chosen], axis=0, weights=samples.areas_mm2[chosen])
        nearest = int(np.argmin(np.linalg.norm(samples.points_mm[chosen] - middle, axis=1)))
        angle = _steep_deg(orientation.angle_deg[chosen], samples.areas_mm2[chosen])
        is_ceiling = angle > CEILING_DEG and mesh.surfaces[int(face)].kind == "plane"
        span = _span_mm(mesh, int(face)) if is_ceiling else None
        undersides.append(_Underside(int(face), angle, area, samples.points_mm[chosen[nearest]], span))
    return undersides


def _steep_deg(angles_deg: FloatArray, areas_mm2: FloatArray) -> float:
    """Return the angle that the steepest tenth of an area has at least."""
    order = np.argsort(-angles_deg, kind="stable")
    reached: FloatArray = np.cumsum(areas_mm2[order])
    least = int((reached < STEEPEST * float(areas_mm2.sum())).sum())
    return float(angles_deg[int(order[min(least, len(order) - 1)])])


def _span_mm(mesh: PartMesh, face: int) -> float | None:
    """Return the shortest way across a ceiling from one inner edge to another that faces it."""
    inner = [edge for edge in edges_of(mesh) if face in edge.faces and edge.is_concave and edge.turn_deg >= SHARP_DEG]
    straight = _straight_spans_mm(mesh, face, [edge for edge in inner if edge.is_straight])
    return min(
        [*straight, *_round_spans_mm(mesh, face, [edge for edge in inner if not edge.is_straight])], default=None
    )


def _straight_spans_mm(mesh: PartMesh, face: int, inner: list[Edge]) -> list[float]:
    """Return the distances of walls that face each other; the normal of a wall points over the ceiling beside it."""
    normal = mesh.normals[mesh.face_of == face][0]
    sides: list[tuple[FloatArray, FloatArray]] = []
    for edge in inner:
        flat = edge.normals - np.outer(edge.normals @ normal, normal)
        lengths = np.linalg.norm(flat, axis=1)
        wall = int(np.argmax(lengths))
        if np.linalg.norm(edge.normals[wall]) > -OPPOSITE:  # else its stretches have walls that look different ways
            sides.append((edge.middle_mm, flat[wall] / lengths[wall]))
    facing = [
        float((there - here) @ inwards)
        for index, (here, inwards) in enumerate(sides)
        for there, other in sides[index + 1 :]
        if inwards @ other < OPPOSITE
    ]
    return [span_mm for span_mm in facing if span_mm > 0]


def _round_spans_mm(mesh: PartMesh, face: int, inner: list[Edge]) -> list[float]:
    """Return the diameter of what lies within an edge all round, or the widest gap between it and a post inside."""
    corners = mesh.vertices_mm[mesh.triangles[mesh.face_of == face]].reshape(-1, 3)
    rims: list[tuple[FloatArray, float]] = []
    posts: list[tuple[FloatArray, float]] = []
    for edge in inner:
        centre, radius_mm = edge.circle
        if edge.length_mm < HALF_ROUND * 2 * np.pi * radius_mm:
            continue
        is_rim = np.linalg.norm(corners - centre, axis=1).max() < radius_mm + ON_BED_MM
        (rims if is_rim else posts).append((centre, radius_mm))
    if not posts:
        return [2 * radius_mm for _, radius_mm in rims]
    return [
        radius_mm - inside_mm + float(np.linalg.norm(centre - post))
        for centre, radius_mm in rims
        for post, inside_mm in posts
    ]


def _bridge(label: str, underside: _Underside, span_mm: float, rules: PrintRules) -> list[Finding]:
    if span_mm <= rules.bridge_free_mm + 1e-6:
        return []
    severity: Severity = "info"
    limit_mm = rules.bridge_free_mm
    if span_mm > rules.bridge_error_mm:
        severity, limit_mm = "error", rules.bridge_error_mm
    elif span_mm > rules.bridge_warning_mm:
        severity, limit_mm = "warning", rules.bridge_warning_mm
    point_mm = as_vector(underside.point_mm)
    detail = (
        f"{label} has a bridge of {format_mm(span_mm)} at {format_point(point_mm)}, up to {format_mm(limit_mm)} prints "
        "without sagging; arch it, support it with a pillar, or make it shorter"
    )
    at, measurement = Position(underside.face, point_mm), Measurement(span_mm, limit_mm, "mm")
    return [make_finding("print_bridge", label, detail, at=at, measurement=measurement, severity=severity)]


def _overhang(label: str, underside: _Underside, rules: PrintRules) -> Finding:
    point_mm = as_vector(underside.point_mm)
    detail = (
        f"{label} overhangs by {underside.angle_deg:.0f} degrees from the vertical at {format_point(point_mm)} in "
        f"every orientation, over {underside.area_mm2:.0f} mm2; up to {rules.overhang_deg:g} degrees print without "
        "support: chamfer it or pay for support"
    )
    at = Position(underside.face, point_mm)
    measurement = Measurement(underside.angle_deg, rules.overhang_deg, "deg")
    return make_finding("print_overhang", label, detail, at=at, measurement=measurement, severity="warning")
