"""Inner corners: a mill is round."""

from contracts.models.design import Finding
from geometry.formatting import format_mm, format_point

from workbenches.cnc.access import Access
from workbenches.configuration import CncRules
from workbenches.edges import SHARP_DEG, Edge
from workbenches.part_frame import vector_of
from workbenches.report import Measure, Spot, report
from workbenches.round_faces import RoundFace

SQUARE_TO_TOOL = 0.3
"""An edge that runs nearer to the tool's end than this cosine says is cut by the end's rim."""
ALONG_TOOL = 0.98
BOTH_SEEN = 0.5
SLACK_MM = 1e-3


def sharp_corners(label: str, edges: list[Edge], access: Access) -> list[Finding]:
    """Report inner edges that no tool can leave sharp: both walls are cut with its flank."""
    found: list[Finding] = []
    for edge in edges:
        is_inner = edge.is_concave and edge.is_straight and edge.turn_deg > SHARP_DEG
        if not is_inner or any(_cuts_by_its_end(edge, access, way) for way in range(6)):
            continue
        spot = vector_of(edge.middle_mm)
        detail = (
            f"{label} has a sharp inner corner at {format_point(spot)}, {format_mm(edge.length_mm)} long, radius 0 mm; a mill is "
            "round: give the corner a radius of at least a third of its depth, or let it run out"
        )
        found.append(
            report("cnc_sharp_corner", label, detail, at=Spot(edge.faces[0], spot), measure=Measure(0.0, None, "mm"))
        )
    return found


def _cuts_by_its_end(edge: Edge, access: Access, way: int) -> bool:
    across = abs(float(edge.direction @ access.ways[way])) < SQUARE_TO_TOOL
    return across and all(access.share_seen(face, way) > BOTH_SEEN for face in edge.faces)


def small_radii(label: str, rounds: list[RoundFace], access: Access, rules: CncRules) -> list[Finding]:
    """Report upright inner corners whose radius is smaller than the mills can, or than they like."""
    found: list[Finding] = []
    for corner in rounds:
        upright = any(abs(float(corner.axis @ access.ways[way])) > ALONG_TOOL for way in access.setups)
        if not corner.is_inner or corner.is_all_round or not upright:
            continue
        liked_mm = corner.length_mm * rules.corner_radius_per_depth
        is_error = corner.radius_mm < rules.least_corner_radius_mm - SLACK_MM
        if not is_error and corner.radius_mm >= liked_mm - SLACK_MM:
            continue
        found.append(_small_radius(label, corner, rules.least_corner_radius_mm if is_error else liked_mm, is_error))
    return found


def _small_radius(label: str, corner: RoundFace, limit_mm: float, is_error: bool) -> Finding:
    spot = vector_of(corner.place_mm)
    why = "is the least a mill leaves" if is_error else "is a third of its depth, and cuts well"
    detail = (
        f"{label} has an inner corner of radius {format_mm(corner.radius_mm)} at {format_point(spot)}, {format_mm(corner.length_mm)} deep; "
        f"{format_mm(limit_mm)} {why}: enlarge the radius to that"
    )
    return report(
        "cnc_corner_radius",
        label,
        detail,
        at=Spot(corner.face, spot),
        measure=Measure(corner.radius_mm, limit_mm, "mm"),
        severity="error" if is_error else "warning",
    )
