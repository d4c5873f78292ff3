"""The rule for draft: upright walls must lean, or the part sticks in the mould."""

from dataclasses import dataclass

import numpy as np
from contracts.models.design import Finding
from contracts.models.geometry import Vector
from geometry.arrays import FloatArray, as_vector
from geometry.formatting import format_mm, format_point
from parts_catalog.methods.workshop_figures import MouldRules

from workbenches.edges import Edge
from workbenches.findings import Measurement, Position, make_finding
from workbenches.moulding.parting import MouldOpening
from workbenches.part_mesh import PartMesh

LEAST_DEPTH_MM = 0.5
LEAST_DEPTH_SHARE = 0.05
"""Depth of a face, in mm and of its upright part, up to which it may lack draft: a bulge does where it is widest."""
SIDE_ACTION = 0.5
"""Share of a face above which it is formed by a side action, and not by the halves of the mould."""
SAME_WALL_DEG = 46.0
"""Faces that turn by less are one wall: a rounded corner and its flanks, or the sides of a polygon."""
NONE_DEG = 0.1
"""A lesser lean is none: of samples on a bulge, none lies exactly where it is widest."""
SLACK_MM = 1e-3


@dataclass(frozen=True)
class _Wall:
    """Adjacent faces that lack draft."""

    at: Position
    lean_deg: float
    low_mm: float
    high_mm: float
    """Along the pull."""


def missing_draft(
    label: str, mesh: PartMesh, opening: MouldOpening, edges: list[Edge], rules: MouldRules
) -> list[Finding]:
    """Report every upright wall with less draft than its depth requires."""
    faces = {face: wall for face in range(len(mesh.surfaces)) if (wall := _lacking(mesh, opening, face, rules))}
    walls: list[_Wall] = []
    for group in _joined(set(faces), edges):
        first = min((faces[face] for face in sorted(group)), key=lambda wall: round(wall.lean_deg, 3))
        low, high = min(faces[face].low_mm for face in group), max(faces[face].high_mm for face in group)
        walls.append(_Wall(first.at, first.lean_deg, low, high))
    return [_finding(label, wall, rules) for wall in walls]


def _lacking(mesh: PartMesh, opening: MouldOpening, face: int, rules: MouldRules) -> _Wall | None:
    """Return the part of a face that has less draft than recommended; None if it has enough."""
    on_face = np.flatnonzero(mesh.samples.faces == face)
    lean = np.degrees(np.arcsin(np.abs(mesh.samples.normals[on_face] @ opening.pull).clip(0, 1)))
    areas = mesh.samples.areas_mm2[on_face]
    upright = lean < rules.upright_below_deg
    beside = (opening.by_side_action | opening.trapped)[on_face]
    if not upright.any() or areas[beside].sum() > SIDE_ACTION * areas.sum():
        return None
    low, high = _span_mm(mesh, face, opening.pull, rules.upright_below_deg)
    lacking = upright & (lean < _recommended_deg(high - low, rules) - rules.slack_deg)
    if not lacking.any():
        return None
    along = mesh.samples.points_mm[on_face] @ opening.pull
    is_flat = mesh.surfaces[face].kind == "plane"
    depth_mm = high - low if is_flat or lacking[upright].all() else float(np.ptp(along[lacking]))
    if depth_mm < max(LEAST_DEPTH_MM, LEAST_DEPTH_SHARE * (high - low)) - SLACK_MM:
        return None
    least = int(np.argmin(np.where(lacking, lean, np.inf)))
    point_mm: Vector = as_vector(mesh.samples.points_mm[on_face[least]])
    lean_deg = 0.0 if lean[least] < NONE_DEG else float(lean[least])
    return _Wall(Position(face, point_mm), lean_deg, low, high)


def _span_mm(mesh: PartMesh, face: int, pull: FloatArray, upright_below_deg: float) -> tuple[float, float]:
    """Return from where to where the upright part of a face reaches along the pull."""
    on_face = mesh.face_of == face
    upright = on_face & (np.abs(mesh.normals @ pull) < np.sin(np.radians(upright_below_deg)))
    along = mesh.vertices_mm[mesh.triangles[upright if upright.any() else on_face]] @ pull
    return float(along.min()), float(along.max())


def _recommended_deg(depth_mm: float, rules: MouldRules) -> float:
    ramp = next(degrees for deepest_mm, degrees in rules.draft_ramp if depth_mm <= deepest_mm + SLACK_MM)
    return max(ramp, rules.draft_error_deg)


def _joined(faces: set[int], edges: list[Edge]) -> list[set[int]]:
    """Return groups of faces that are connected by edges at which they hardly turn."""
    groups = {face: {face} for face in sorted(faces)}
    for edge in edges:
        one, other = edge.faces
        if edge.turn_deg < SAME_WALL_DEG and one in faces and other in faces and groups[one] is not groups[other]:
            groups[one] |= groups[other]
            for face in groups[other]:
                groups[face] = groups[one]
    return [group for face, group in groups.items() if face == min(group)]


def _finding(label: str, wall: _Wall, rules: MouldRules) -> Finding:
    depth_mm = wall.high_mm - wall.low_mm
    is_error = wall.lean_deg < rules.draft_error_deg - rules.slack_deg
    limit = rules.draft_error_deg if is_error else _recommended_deg(depth_mm, rules)
    detail = (
        f"{label} has a wall at {format_point(wall.at.point_mm)}, {format_mm(depth_mm)} deep, with a draft of "
        f"{wall.lean_deg:.2f} degrees to the pull direction, the {'minimum' if is_error else 'recommended minimum'} is "
        f"{limit:g} degrees; taper it"
    )
    return make_finding(
        "mould_draft",
        label,
        detail,
        at=wall.at,
        measurement=Measurement(wall.lean_deg, limit, "deg"),
        severity="error" if is_error else "warning",
    )
