"""Draft: upright faces must lean, or the part sticks to the mould."""

import numpy as np
from contracts.models.design import Finding
from geometry.formatting import format_mm, format_point

from workbenches.configuration import MouldRules
from workbenches.part_frame import vector_of
from workbenches.part_mesh import Floats, PartMesh
from workbenches.report import Measure, Spot, report

LEAST_AREA_MM2 = 0.5


def drafts(label: str, mesh: PartMesh, pull: Floats, rules: MouldRules) -> list[Finding]:
    """Report every upright face that leans by less than its depth asks for."""
    lean_deg = np.degrees(np.arcsin(np.abs(mesh.normals @ pull).clip(0, 1)))
    along = mesh.vertices_mm @ pull
    found: list[Finding] = []
    for face in range(len(mesh.shapes)):
        triangles = np.flatnonzero(mesh.face_of == face)
        upright = triangles[lean_deg[triangles] < rules.upright_below_deg]
        if mesh.areas_mm2[upright].sum() < LEAST_AREA_MM2:
            continue
        least = upright[int(np.argmin(lean_deg[upright]))]
        depth_mm = float(np.ptp(along[mesh.triangles[upright]]))
        wanted_deg = next(degrees for deepest_mm, degrees in rules.draft_ramp if depth_mm <= deepest_mm)
        measured = float(lean_deg[least])
        if measured >= max(wanted_deg, rules.draft_error_deg) - rules.slack_deg:
            continue
        is_error = measured < rules.draft_error_deg - rules.slack_deg
        limit = rules.draft_error_deg if is_error else wanted_deg
        spot = vector_of(mesh.vertices_mm[mesh.triangles[least]].mean(axis=0))
        detail = (
            f"{label} has a face at {format_point(spot)}, {format_mm(depth_mm)} deep, that leans by {measured:.2f} degrees from the "
            f"direction in which the mould opens; {'at least' if is_error else 'better'} {limit:g} degrees: taper it"
        )
        found.append(
            report(
                "mould_draft",
                label,
                detail,
                at=Spot(face, spot),
                measure=Measure(measured, limit, "deg"),
                severity="error" if is_error else "warning",
            )
        )
    return found
