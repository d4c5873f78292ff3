"""Rules for inner corners, which a round mill cannot leave sharp."""

import numpy as np
from contracts.models.design import Finding
from geometry.arrays import BoolArray, FloatArray, as_vector
from geometry.formatting import format_mm, format_point
from parts_catalog.methods.workshop_figures import CncRules

from workbenches.cnc.access import Access
from workbenches.cnc.polygon_holes import PolygonHole, polygon_finding
from workbenches.edges import SHARP_DEG, Edge
from workbenches.findings import Measurement, Position, make_finding
from workbenches.part_mesh import OFF_FACETS_MM, TILT, PartMesh
from workbenches.round_faces import RoundFace

PERPENDICULAR_TO_TOOL = 0.3
"""Largest cosine to the tool's axis of an edge that the rim of its end cuts."""
ALONG_TOOL = 0.98
PLACES = 8
"""Along an edge, at which the way to it is tried; it is open if it is at half of them."""
MOST_TURN_DEG = 91.0
"""Where faces turn by more, the gap between them is too sharp for the square end of a tool."""
SLACK_MM = 1e-3


def sharp_corners(
    label: str, mesh: PartMesh, edges: list[Edge], polygons: list[PolygonHole], access: Access
) -> list[Finding]:
    """Report polygons in place of round holes, and concave edges whose two walls a tool would cut with its flank."""
    findings = [polygon_finding(label, polygon) for polygon in polygons]
    round_ = {face for polygon in polygons for face in polygon.faces}
    sharp = [edge for edge in edges if edge.is_straight and edge.turn_deg > SHARP_DEG]
    sharp = [edge for edge in sharp if not round_.issuperset(edge.faces)]
    for edge, is_cut in zip(sharp, _are_cut_by_tool_end(mesh, sharp, access.directions), strict=True):
        if is_cut:
            continue
        point_mm = as_vector(edge.middle_mm)
        detail = (
            f"{label} has a sharp inner corner at {format_point(point_mm)}, {format_mm(edge.length_mm)} long, radius "
            "0 mm, which a round mill cannot cut; give it a radius of at least a third of its depth, or let it run out"
        )
        at, measurement = Position(edge.faces[0], point_mm), Measurement(0.0, None, "mm")
        findings.append(make_finding("cnc_sharp_corner", label, detail, at=at, measurement=measurement))
    return findings


def _are_cut_by_tool_end(mesh: PartMesh, edges: list[Edge], directions: FloatArray) -> BoolArray:
    """Return (n,): whether a tool from any side stands across each edge, cuts one of its faces and passes the other."""
    cut = np.zeros(len(edges), dtype=np.bool_)
    for direction in directions:
        open_ = [
            number
            for number, edge in enumerate(edges)
            if edge.turn_deg <= MOST_TURN_DEG
            and abs(float(edge.direction @ direction)) < PERPENDICULAR_TO_TOOL
            and (edge.normals @ direction > -TILT).all()
        ]
        if open_:
            places = np.concatenate([_beside(edges[number]) for number in open_])
            cut[open_] |= mesh.is_clear(places, direction).reshape(-1, PLACES).mean(axis=1) >= 1 / 2
    return cut


def _beside(edge: Edge) -> FloatArray:
    """Return points (n, 3) in the air between the faces of an edge, beyond their facets."""
    return edge.points_mm(PLACES) + 2 * OFF_FACETS_MM * edge.normals.mean(axis=0)


def small_radii(label: str, rounds: list[RoundFace], access: Access, rules: CncRules) -> list[Finding]:
    """Report inner corners along the tool whose radius is below the minimum or the recommended radius."""
    findings: list[Finding] = []
    for corner in rounds:
        upright = any(abs(float(corner.axis @ access.directions[setup])) > ALONG_TOOL for setup in access.setups)
        if not corner.is_inner or corner.is_full or not upright:
            continue
        recommended_mm = corner.length_mm * rules.corner_radius_per_depth
        is_error = corner.radius_mm < rules.least_corner_radius_mm - SLACK_MM
        if is_error:
            findings.append(_small_radius(label, corner, rules.least_corner_radius_mm, is_error=True))
        elif corner.radius_mm < recommended_mm - SLACK_MM:
            findings.append(_small_radius(label, corner, recommended_mm, is_error=False))
    return findings


def _small_radius(label: str, corner: RoundFace, limit_mm: float, *, is_error: bool) -> Finding:
    point_mm = as_vector(corner.point_mm)
    limit = "the minimum is" if is_error else "recommended is a third of the depth,"
    detail = (
        f"{label} has an inner corner of radius {format_mm(corner.radius_mm)} at {format_point(point_mm)}, "
        f"{format_mm(corner.length_mm)} deep; {limit} {format_mm(limit_mm)}: enlarge the radius to that"
    )
    return make_finding(
        "cnc_corner_radius",
        label,
        detail,
        at=Position(corner.face, point_mm),
        measurement=Measurement(corner.radius_mm, limit_mm, "mm"),
        severity="error" if is_error else "warning",
    )
